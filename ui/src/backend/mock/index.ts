// A synthetic backend for trying the interface in a plain browser and in tests. No release contains it.

import type { DocumentView, JobView, Node, NodeResponse, Opened, ResponseView, TransportView } from '../../bindings';
import { walk } from '../../lib/chain';
import type { Backend } from '../backend';
import { encodeLoudness, encodeMonitor } from '../heard';
import { encodeMap } from '../map';
import { batchHandlers } from './batch';
import { describe, regionLevels } from './describe';
import { edited } from './edits';
import { EFFECTS, power } from './effects';
import type { Handlers } from './handlers';
import { Curves, Listener } from './heard';
import { AUDITION_RATE, shelf } from './library';
import { questions } from './library/questions';
import { check, write } from './notation';
import { channelLevels, levelsOf, peaksOf, samplesOf } from './signal';
import { SPECTROGRAM_PRESETS, spectrumAt, TileMaker } from './spectrogram';
import { World, type MockDocument } from './world';

const DEMO_CHAIN = 'highpass(60 Hz, order=4) | peaking(240 Hz, q=1.2, gain=-3.5 dB) | (peaking(1 kHz, q=2, gain=3 dB) + gain(-6 dB)) | high_shelf(8 kHz, gain=2.5 dB)';

/** As a page's address asks for it: `?tracks=100000`, `?library=empty`, `unreachable` or `broken`. */
export function mockBackendFrom(search: string): Backend {
  const asked = new URLSearchParams(search);
  const kind = (['empty', 'unreachable', 'broken'] as const).find((each) => each === asked.get('library')) ?? 'usual';
  return mockBackend(new World(Number(asked.get('tracks') ?? 2000), kind));
}

export function mockBackend(world = new World(), delayMs = 4): Backend {
  const tiles = new TileMaker(delayMs * 2);
  const listener = new Listener();
  const curves = new Curves();
  const handlers = commands(world, tiles, listener);
  const wait = () => new Promise((done) => setTimeout(done, delayMs));
  startClock(world);
  return {
    async call(name, args) {
      await wait();
      try {
        return structuredClone((handlers[name] as (args: unknown) => never)(args));
      } catch (error) {
        if (error instanceof Error && 'notation' in error) throw { code: 'notation', message: error.message, notation: error.notation };
        throw error;
      }
    },
    async peaks(document, start, end, columns) {
      await wait();
      const held = world.document(document);
      return peaksOf(held.recording, start, end, columns, held.exact);
    },
    async samples(document, start, end) {
      await wait();
      return samplesOf(world.document(document).recording, start, end);
    },
    spectrogram: (document, tile) => tiles.tile(world.document(document), tile),
    async monitor(query) {
      await wait();
      return encodeMonitor(listener.frame(world, query));
    },
    async loudness(document, query) {
      await wait();
      return encodeLoudness(curves.block(world, world.document(document), query));
    },
    async map(whole) {
      await wait();
      return encodeMap(world.library.map(), whole);
    },
    async listen(handler) {
      world.handlers.push(handler);
    },
    async onDropHover() {
      // A plain browser has no drop that the core could take.
    },
  };
}

function commands(world: World, tiles: TileMaker, listener: Listener): Handlers {
  const opened = (name: string, chain?: string): Opened => ({ documents: [world.open(name, chain).view], failures: [] });
  const changed = (document: MockDocument, next: Partial<DocumentView>): DocumentView => {
    document.view = {
      ...document.view,
      ...next,
      undo: document.past.at(-1)?.name ?? null,
      redo: document.future.at(-1)?.name ?? null,
      revision: document.view.revision + 1,
    };
    document.view.chain_text = write(document.view.chain.nodes);
    document.view.resting_text = write(document.resting.nodes);
    return document.view;
  };
  const stateOf = ({ view, resting }: MockDocument, name: string) => ({ chain: view.chain, resting, rack: view.rack, name });
  const step = (document: MockDocument, from: MockDocument['past'], to: MockDocument['past']): DocumentView => {
    const last = from.pop();
    if (!last) return document.view;
    to.push(stateOf(document, last.name));
    document.resting = last.resting;
    return changed(document, { chain: last.chain, rack: last.rack });
  };
  const moved = (change: Partial<TransportView>): TransportView => {
    Object.assign(world.transport, change);
    return world.transport;
  };
  return {
    ...shelf(world),
    ...questions(world),
    ...batchHandlers(world),
    startup: () => ({ version: '0.1.0', settings: world.settings, documents: [...world.documents.values()].map((d) => d.view), active: world.active, effects: EFFECTS, recent: world.recent, export_formats: ['wav', 'flac', 'vorbis', 'opus'], notices: [] }),
    open_dialog: () => opened('rehearsal (damaged).wav'),
    open_recent: ({ id }) => opened(world.recent.find((file) => file.id === id)?.name ?? 'recording.wav'),
    clear_recent: () => (world.recent = []),
    recent: () => world.recent,
    open_demo: () => opened('Demo', DEMO_CHAIN),
    close_document: ({ document }) => {
      world.documents.delete(document);
      return null;
    },
    activate_document: ({ document }) => {
      world.active = document;
      return null;
    },
    locate_source: ({ document }) => world.document(document).view,
    answer_files: ({ document, files, allow }) => {
      const held = world.document(document);
      const names = (node: Node) => node.kind === 'effect' && Object.values(node.arguments).some((value) => files.includes(String(value).replaceAll('"', '')));
      const nodes = allow ? held.view.chain.nodes : held.view.chain.nodes.filter((node) => !names(node));
      return changed(held, { chain: { nodes }, asked_files: [] });
    },
    retry_document: ({ document }) => world.document(document).view,
    edit: ({ document, edit }) => {
      const held = world.document(document);
      const gesture = 'gesture' in edit ? edit.gesture : null;
      if (edit.kind === 'copy_rack' || edit.kind === 'swap_racks') {
        const { chain } = held.view;
        const next = edit.kind === 'copy_rack' ? chain : held.resting;
        held.past.push(stateOf(held, edit.kind === 'copy_rack' ? 'Copy rack' : 'Exchange racks A and B'));
        held.resting = structuredClone(chain);
        held.future = [];
        return changed(held, { chain: next });
      }
      const { chain, name } = edited(held.view.chain, edit, new Map(world.presets.map((p) => [p.name, p.text])), held.view.rate);
      if (gesture === null || gesture !== held.gesture) held.past.push(stateOf(held, name));
      held.gesture = gesture;
      held.future = [];
      return changed(held, { chain });
    },
    set_rack: ({ document, rack }) => {
      const held = world.document(document);
      if (rack === held.view.rack) return held.view;
      const { chain } = held.view;
      const next = held.resting;
      held.resting = chain;
      return changed(held, { chain: next, rack });
    },
    choose_argument: ({ document, node, name }) => {
      const held = world.document(document);
      const { chain, name: label } = edited(held.view.chain, { kind: 'set_argument', node, name, value: '/home/ada/hall.wav', gesture: null }, new Map(), held.view.rate);
      held.past.push(stateOf(held, label));
      return changed(held, { chain });
    },
    undo: ({ document }) => step(world.document(document), world.document(document).past, world.document(document).future),
    redo: ({ document }) => step(world.document(document), world.document(document).future, world.document(document).past),
    check_chain: ({ text }) => ({ problem: check(text) }),
    response: ({ document, points, from_hz, to_hz }) => response(world.document(document), points, from_hz, to_hz),
    chain_report: ({ document }) => ({
      preview: world.report(),
      export: world.report(),
      nodes: [...walk(world.document(document).view.chain.nodes)].map((node) => ({ node: node.id, times_real_time: node.kind === 'effect' ? 4200 / (1 + Number(node.arguments['order'] ?? 1)) : null, latency_frames: node.kind === 'effect' ? 0 : null, transfer_db: null })),
      latency_frames: 0,
    }),
    set_selection: ({ document, selection, band }) => changed(world.document(document), { selection, band }),
    set_view: ({ document, view, cursor_frame }) => {
      Object.assign(world.document(document).view, { view, cursor_frame });
      return null;
    },
    levels: ({ document, range }) => levelsOf(world.document(document).recording, range.start, range.end),
    region_levels: ({ document, range, band }) => regionLevels(world.document(document), range, band),
    spectrum_at: (at) => spectrumAt(world.document(at.document), at),
    cancel_tiles: ({ requests }) => {
      tiles.cancel(requests);
      return null;
    },
    spectrogram_presets: () => SPECTROGRAM_PRESETS,
    describe: ({ document }) => describe(world.document(document)),
    export_picture: ({ document, format }) => ({ id: 2, name: `${world.document(document).view.name} spectrogram.${format}`, folder: '~/Pictures' }),
    play: ({ document, from_frame, until_frame }) => {
      world.until = until_frame;
      return moved({ document, audition: null, frame: from_frame, playing: true });
    },
    stop: () => moved({ playing: false }),
    seek: ({ frame }) => {
      if (world.transport.audition) world.transport.audition.at_s = frame / AUDITION_RATE;
      return moved({ frame });
    },
    set_loop: ({ looping }) => moved({ looping }),
    set_side: ({ side }) => moved({ side }),
    set_matched: ({ matched }) => moved({ matched, matched_gain_db: matched ? -1.4 : null }),
    set_monitoring: ({ on }) => {
      listener.on = on;
      return null;
    },
    reset_monitor: ({ part }) => {
      if (part === 'peaks') listener.resetPeaks();
      else listener.resetLoudness(world.transport.frame);
      return null;
    },
    stop_loudness: () => null,
    outputs: () => [
      { id: 'built-in', name: 'Built-in speakers', rate: 48_000, channels: 2 },
      { id: 'usb', name: 'USB interface', rate: 96_000, channels: 8 },
    ],
    devices: () => world.devices(),
    measure_devices: () => world.devices(),
    choose_export: ({ document, settings }) => ({ id: 1, name: `${world.document(document).view.name} processed.${settings.format === 'vorbis' ? 'ogg' : settings.format}`, folder: '~/Music' }),
    export: ({ document, settings }) => startExport(world, world.document(document), settings.format),
    cancel_job: ({ job }) => {
      const held = world.jobs.get(job);
      if (held?.state === 'running') held.state = 'cancelled';
      if (held) world.emit({ kind: 'job', job: held });
      return null;
    },
    jobs: () => [...world.jobs.values()],
    presets: () => world.presets,
    save_preset: ({ document, name }) => (world.presets = [...world.presets.filter((p) => p.name !== name), { name, text: world.document(document).view.chain_text, factory: false, task: null, problem: null }]),
    delete_preset: ({ name }) => (world.presets = world.presets.filter((p) => p.name !== name)),
    import_preset: () => world.presets,
    export_preset: () => true,
    settings: () => world.settings,
    set_settings: ({ settings }) => {
      world.settings = settings;
      world.library.watching = settings.library.watch;
      world.emit({ kind: 'devices', devices: world.devices() });
      return settings;
    },
  };
}

function response(document: MockDocument, points: number, fromHz: number, toHz: number): ResponseView {
  const hz = Array.from({ length: points }, (_, i) => fromHz * (toHz / fromHz) ** (i / (points - 1)));
  const { rate, chain } = document.view;
  const total = hz.map(() => 0);
  const nodes: NodeResponse[] = [];
  for (const node of walk(chain.nodes)) {
    if (node.kind !== 'effect') continue;
    const db = hz.map((f) => {
      const squared = f < rate / 2 ? power(node.effect, node.arguments, f, rate) : 0;
      return squared === null ? 0 : squared > 1e-16 ? 10 * Math.log10(squared) : null;
    });
    nodes.push({ node: node.id, db });
    if (!node.bypass) db.forEach((value, i) => (total[i] = (total[i] ?? 0) + (value ?? -160) * node.mix));
  }
  return { frequency_hz: hz, chain_db: total.map((value) => (value < -150 ? null : value)), nodes };
}

function startExport(world: World, document: MockDocument, format: string): number {
  const id = world.nextJob++;
  const total = document.view.frames;
  const job: JobView = { id, title: `Export ${document.view.name}.${format}`, state: 'running', done: 0, total, rate: total / 4, remaining_s: 4, result: null, failure: null, purpose: 'export' };
  world.jobs.set(id, job);
  const timer = setInterval(() => {
    if (job.state !== 'running') return clearInterval(timer);
    job.done = Math.min(total, job.done + total / 40);
    job.remaining_s = ((total - job.done) / total) * 4;
    if (job.done >= total) {
      job.state = 'done';
      job.result = { name: `${document.view.name} processed.${format}`, folder: '~/Music', frames: total, bytes: total * 6 + 44, clipped: 12, peak_db: 0.4, device: world.report(), seconds: { decode: 0.21, upload: 0, kernels: 0.34, readback: 0, encode: 0.18, total: 0.52 }, loudness_gain_db: null, warnings: [] };
    }
    world.emit({ kind: 'job', job });
  }, 100);
  return id;
}

function startClock(world: World): void {
  const periodMs = 33;
  setInterval(() => {
    const { transport } = world;
    if (transport.playing && transport.audition) return audition(world, transport.audition, periodMs);
    const document = transport.document === null ? undefined : world.documents.get(transport.document);
    if (!transport.playing || !document) return;
    const { rate, frames, selection } = document.view;
    transport.frame += Math.round((rate * periodMs) / 1000);
    if (transport.looping && selection && transport.frame >= selection.end) transport.frame = selection.start;
    if (transport.frame >= (world.until ?? frames) || transport.frame >= frames) Object.assign(transport, { playing: false });
    const { peak, rms } = channelLevels(document.recording, Math.max(0, transport.frame - rate / 20), transport.frame);
    world.emit({ kind: 'transport', transport, meters: { peak_db: peak, rms_db: rms, clipped: 0, not_finite: 0, reductions: [] } });
  }, periodMs);
}

/** Lets an audition go on: a tone that swells every second. */
function audition(world: World, heard: NonNullable<TransportView['audition']>, periodMs: number): void {
  heard.at_s += periodMs / 1000;
  world.transport.frame = Math.round(heard.at_s * AUDITION_RATE);
  if (heard.at_s >= heard.duration_s) Object.assign(world.transport, { playing: false });
  const db = -18 + 6 * Math.sin(heard.at_s * Math.PI * 2);
  world.emit({ kind: 'transport', transport: world.transport, meters: { peak_db: [db + 4, db + 3], rms_db: [db - 6, db - 7], clipped: 0, not_finite: 0, reductions: [] } });
}
