// The core's recorded answers, for the interface's tests and a plain browser. A recording is a tree of states: a step
// leads from one state to the next, and queries are answered within a state. All answers come from the core itself
// (tests/app/answers); the events that follow a step are emitted in order, one at a time.

import type { Commands, CompareSound, DocumentView, Event, Failure, MonitorQuery, Settings, Side, TransportView } from '../bindings';
import type { Backend, CommandName } from './backend';
import { encodeCodes, TILE_SIDE } from './binary';
import { encodeMonitor } from './heard';
import { PlaybackClock } from './playback-clock';

export interface Request {
  call: string;
  args: unknown;
}

/** A binary answer: words of 32 bits, then floats, with null for NaN. */
type Bytes = { words: number[]; floats: (number | null | string)[] } | { hex: string };

export interface Outcome {
  answer?: unknown;
  failure?: Failure;
  bytes?: Bytes;
  events?: Event[];
  settings?: unknown;
}

export interface State {
  from: number | null;
  step?: Request;
  outcome?: Outcome;
  queries: (Request & { outcome?: Outcome })[];
}

/** The core itself, for what is not recorded yet. */
export type AskCore = (path: Request[], request: Request) => { step: boolean; outcome: Outcome };

/** Queries sent once input settles: levels, export levels, and the position of a track in a table being refetched. */
const AT_REST = new Set<CommandName>(['editor.levels', 'editor.region_levels', 'editor.forecast_export', 'editor.export_forecast', 'library.position']);
/** Commands that no later answer depends on. */
const UNANSWERED = new Set(['workspace.activate_document', 'editor.set_view', 'workspace.reorder_documents', 'editor.cancel_tiles', 'editor.set_monitoring', 'editor.reset_monitor', 'editor.cancel_loudness', 'editor.cancel_describing', 'batch.take_drops', 'library.show_file', 'batch.show_file']);
/** Commands that the playback clock answers: the recorded core has no output. */
const PLAYBACK = new Set(['playback.play', 'playback.stop', 'playback.seek', 'playback.set_loop', 'playback.set_side', 'playback.set_matched', 'library.audition']);
/** Commands that end the work in hand. */
const INTERRUPTS = new Set(['batch.pause', 'batch.cancel', 'library.pause_scan', 'library.cancel_scan']);
const EVENT_MS = 4;
/** The simulated duration of the core's work, long enough to be seen. */
const WORK_MS = 60;
const SCAN_MS = 700;

export class Replay implements Backend {
  /** Calls without a recorded answer. */
  readonly missing: string[] = [];
  readonly clock = new PlaybackClock((event) => this.emit(event));
  settings: Settings | null = null;
  /** While true, the core's work is paused: only its start is reported. */
  still = false;
  private readonly handlers: ((event: Event) => void)[] = [];
  private readonly gestures = new Map<number, number>();
  private state = 0;
  /** The state reached once all events are emitted, and the functions that end the emission. */
  private ahead: { state: number; stop: () => void; finish: () => void } | null = null;

  constructor(
    private readonly states: State[],
    private readonly delayMs = 0,
    private readonly core: AskCore | null = null,
  ) {}

  emit(event: Event): void {
    for (const handler of this.handlers) handler(structuredClone(event));
  }

  async call<K extends CommandName>(name: K, args: Commands[K]['args']): Promise<Commands[K]['result']> {
    await this.wait();
    // Such a query can arrive in any state; treat it as still being computed.
    if (AT_REST.has(name) && !this.core && !this.knows(name, args)) return new Promise(() => undefined);
    return structuredClone(this.answer(name, args)) as Commands[K]['result'];
  }

  private answer(name: CommandName, args: unknown): unknown {
    if (UNANSWERED.has(name)) return null;
    if (PLAYBACK.has(name)) return this.clock.command(name, args, (from) => this.ask('library.audition', from) as TransportView);
    if (name === 'jobs.cancel' && this.ahead) return this.cancelJob((args as Commands['jobs.cancel']['args']).job);
    if (name === 'settings.view' && this.settings) return this.settings;
    // The core stores settings unchanged; tests/app/commands.rs checks that.
    if (name === 'settings.set') return (this.settings = (args as Commands['settings.set']['args']).settings);
    return this.ask(name, args);
  }

  /** Returns the recorded answer; if the call is a step, moves to its state. */
  private ask(call: string, given: unknown): unknown {
    const outcome = this.outcomeOf({ call, args: this.numbered(given) });
    if (outcome.failure) throw outcome.failure;
    const { answer } = outcome;
    if (call === 'workspace.startup') this.settings = (answer as Commands['workspace.startup']['result']).settings;
    if (outcome.settings && this.settings) this.settings = patched(this.settings, outcome.settings) as Settings;
    this.clock.learn(documentsOf(answer));
    return outcome.bytes ? bufferOf(outcome.bytes) : (answer ?? null);
  }

  private knows(call: string, args: unknown): boolean {
    const key = keyOf({ call, args: this.numbered(args) });
    return this.earlier(this.state, key) !== null || this.following(key) >= 0;
  }

  private outcomeOf(request: Request): Outcome {
    const key = keyOf(request);
    const query = this.states[this.state]?.queries.find((each) => keyOf(each) === key);
    if (query) return query.outcome ?? {};
    const from = this.ahead?.state ?? this.state;
    const next = this.following(key);
    if (next >= 0) return this.step(next);
    if (this.core) {
      const asked = this.core(this.path(from), request);
      if (asked.step) this.states.push({ from, step: request, outcome: asked.outcome, queries: [] });
      else this.states[this.state]?.queries.push({ ...request, outcome: asked.outcome });
      return this.outcomeOf(request);
    }
    const earlier = this.earlier(from, key);
    if (earlier) return earlier;
    this.missing.push(`${request.call} ${JSON.stringify(request.args)} in state ${this.state}`);
    throw { code: 'invalid', message: `not recorded: ${request.call}`, detail: null, notation: null } satisfies Failure;
  }

  /** The state that a step leads to, or -1. */
  private following(key: string): number {
    const from = this.ahead?.state ?? this.state;
    return this.states.findIndex((each) => each.from === from && each.step && keyOf(each.step) === key);
  }

  /** Looks in earlier states: a debounced query may arrive a state later than when it was recorded. */
  private earlier(index: number, key: string): Outcome | null {
    const state = this.states[index];
    if (!state) return null;
    const query = state.queries.find((each) => keyOf(each) === key);
    if (query) return query.outcome ?? {};
    return state.from === null ? null : this.earlier(state.from, key);
  }

  private step(next: number): Outcome {
    const { step, outcome = {} } = this.states[next] ?? {};
    if (this.ahead && INTERRUPTS.has(step?.call ?? '')) this.ahead.stop();
    else this.ahead?.finish();
    this.ahead = null;
    const events = [...(outcome.events ?? [])];
    // While the core works, questions are answered as before.
    const scans = events.some((event) => event.kind === 'scan');
    const works = scans || events.some((event) => event.kind === 'job');
    if (!works) this.state = next;
    if (events.length === 0) return outcome;
    const told = () => {
      const event = events.shift();
      if (events.length === 0) stop();
      if (events.length === 0 && this.ahead === ahead) {
        this.state = next;
        this.ahead = null;
      }
      if (event) this.emit(event);
    };
    const { length } = events;
    const waits = () => works && this.still && events.length < length;
    const timer = setInterval(() => waits() || told(), scans ? SCAN_MS : works ? WORK_MS : EVENT_MS);
    const stop = () => clearInterval(timer);
    const finish = () => {
      while (events.length > 0) told();
    };
    const ahead = { state: next, stop, finish };
    if (works) this.ahead = ahead;
    return outcome;
  }

  /** Cancels a running job, which leaves everything as it was. */
  private cancelJob(job: number): null {
    const told = this.states[this.ahead?.state ?? -1]?.outcome?.events?.find((event) => event.kind === 'job' && event.job.id === job);
    this.ahead?.stop();
    this.ahead = null;
    if (told?.kind === 'job') this.emit({ ...told, job: { ...told.job, state: 'cancelled' } });
    return null;
  }

  private path(index: number): Request[] {
    const state = this.states[index];
    if (!state || state.from === null || !state.step) return [];
    return [...this.path(state.from), state.step];
  }

  /** Renumbers gestures from 1, whatever order tests run in. */
  private numbered(args: unknown): unknown {
    const gesture = (args as { edit?: { gesture?: number | null } } | null)?.edit?.gesture;
    if (typeof gesture !== 'number') return args;
    const number = this.gestures.get(gesture) ?? this.gestures.size + 1;
    this.gestures.set(gesture, number);
    return { ...(args as object), edit: { ...(args as { edit: object }).edit, gesture: number } };
  }

  private wait(): Promise<void> {
    return new Promise((done) => setTimeout(done, this.delayMs));
  }

  private async bytes(call: string, args: unknown): Promise<ArrayBuffer> {
    await this.wait();
    return this.ask(call, args) as ArrayBuffer;
  }

  peaks(document: number, side: Side, start: number, end: number, columns: number): Promise<ArrayBuffer> {
    return this.bytes('peaks', { document, ...named(side), start, end, columns });
  }

  trackPeaks(document: number, track: number, start: number, end: number, columns: number): Promise<ArrayBuffer> {
    return this.bytes('track_peaks', { document, track, start, end, columns });
  }

  samples(document: number, side: Side, start: number, end: number): Promise<ArrayBuffer> {
    return this.bytes('samples', { document, ...named(side), start, end });
  }

  loudness(document: number, side: Side, generation: number, from: number): Promise<ArrayBuffer> {
    return this.bytes('loudness', { document, side, generation, from });
  }

  map(whole: boolean): Promise<ArrayBuffer> {
    return this.bytes('library_map', { whole });
  }

  comparePeaks(sound: CompareSound, start: number, end: number, columns: number): Promise<ArrayBuffer> {
    return this.bytes('compare_peaks', { sound, start, end, columns });
  }

  compareSamples(sound: CompareSound, start: number, end: number): Promise<ArrayBuffer> {
    return this.bytes('compare_samples', { sound, start, end });
  }

  /** Silence, as of documents. */
  compareSpectrogram(_original: CompareSound, _processed: CompareSound, tile: { row_tiles: number }): Promise<ArrayBuffer> {
    return this.spectrogram(0, tile);
  }

  /** Returns silence: pictures are too large to record, and are checked in the real window. */
  async spectrogram(_: number, tile: { row_tiles: number }): Promise<ArrayBuffer> {
    await this.wait();
    const rows = tile.row_tiles * TILE_SIDE;
    return encodeCodes(TILE_SIDE, rows, true, new Uint16Array(TILE_SIDE * rows));
  }

  /** Returns no sound: the recorded core has no output. */
  async monitor(_: MonitorQuery): Promise<ArrayBuffer> {
    await this.wait();
    const loudness = { momentary: null, shortTerm: null, integrated: null, range: null, truePeak: null };
    return encodeMonitor({ sequence: 0, sounding: false, side: this.clock.transport.side, both: true, rate: 0, channels: 2, pair: [0, 1], lanes: [], goniometer: new Float32Array(0), correlation: null, loudness });
  }

  /** Changes a file of the library from outside while the program runs, as `tests/app/answers/library.rs` does. */
  async outside(change: { remove: string } | { overwrite: string } | { retitle: string; title: string }): Promise<void> {
    this.ask('outside', change);
  }

  async listen(handler: (event: Event) => void): Promise<void> {
    this.handlers.push(handler);
  }

  async onDropHover(): Promise<void> {
    // Nothing is ever dropped on a recording.
  }

  async setTitle(title: string): Promise<void> {
    document.title = title;
  }
}

/** Questions about the original do not name it. */
const named = (side: Side): { side?: Side } => (side === 'original' ? {} : { side });

/** The text of a request, independent of the order of its fields. */
function keyOf({ call, args }: Request): string {
  return `${call} ${JSON.stringify(args, (_, value: unknown) => (value && typeof value === 'object' && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value))}`;
}

function documentsOf(answer: unknown): DocumentView[] {
  if (!answer || typeof answer !== 'object') return [];
  if ('documents' in answer) return answer.documents as DocumentView[];
  return 'chain_text' in answer ? [answer as DocumentView] : [];
}

/** Applies a JSON merge patch. */
function patched(value: unknown, patch: unknown): unknown {
  if (!patch || typeof patch !== 'object' || Array.isArray(patch)) return patch;
  const fields = { ...(value as Record<string, unknown>) };
  for (const [name, change] of Object.entries(patch)) fields[name] = patched(fields[name], change);
  return fields;
}

function bufferOf(bytes: Bytes): ArrayBuffer {
  if ('hex' in bytes) return Uint8Array.from(bytes.hex.match(/../g) ?? [], (pair) => parseInt(pair, 16)).buffer;
  const buffer = new ArrayBuffer((bytes.words.length + bytes.floats.length) * 4);
  new Uint32Array(buffer, 0, bytes.words.length).set(bytes.words);
  new Float32Array(buffer, bytes.words.length * 4).set(bytes.floats.map((value) => (value === null ? NaN : Number(value))));
  return buffer;
}

/** Restores the states of a stored recording, with shared values and the list of effects put back in place. */
export function statesOf(stored: { shared: unknown[]; states: unknown[] }, effects: unknown): State[] {
  const resolved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolved);
    if (!value || typeof value !== 'object') return value;
    if ('$' in value) return value.$ === 'effects' ? effects : resolved(stored.shared[value.$ as number]);
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, resolved(each)]));
  };
  return stored.states.map(resolved) as State[];
}
