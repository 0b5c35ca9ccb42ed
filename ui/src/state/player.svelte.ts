// Playback state, with the play head extrapolated between the core's reports.

import type { Backend } from '../backend';
import type { AuditionTrack, AuditionView, Meters, Side, StemKind, TransportView } from '../bindings';
import { Newest } from '../lib/newest';
import type { DocumentState } from './document.svelte';

/** The longest extrapolation: after that, the play head waits for the next report. */
const LONGEST_GUESS_MS = 150;

export class Player {
  transport: TransportView | null = $state.raw(null);
  meters: Meters = $state.raw({ peak_db: [], rms_db: [], clipped: 0, reductions: {}, tracks: {} });
  /** The tracks that were beyond full scale since playback began. */
  clippedTracks: ReadonlySet<number> = $state.raw(new Set());
  /** Clipping is shown until it is acknowledged. */
  clipSeen = $state(0);
  /** Where playing was paused, and how far it was to go. */
  paused: { document: number; frame: number; until: number | null } | null = $state.raw(null);
  private readonly views = new Newest();
  private reportedAt = 0;
  /** Drop-outs of the last playback that the user has seen. */
  private dropOutsSeen = $state(0);
  private until: number | null = null;

  /** Moments without sound in the last playback that have not been seen yet. A playback without any ends the report. */
  readonly dropOuts: number = $derived(Math.max(0, (this.transport?.underruns ?? 0) - this.dropOutsSeen));
  readonly playing: boolean = $derived(this.transport?.playing ?? false);
  readonly looping: boolean = $derived(this.transport?.looping ?? false);
  /** The side of what was played last. */
  readonly side: Side = $derived(this.transport?.side ?? 'processed');
  /** The side of documents that is heard, or would be; an audition of the library leaves it as it is. */
  readonly documentsSide: Side = $derived(this.transport?.documents_side ?? 'processed');

  /** The audition of the library that is heard now. */
  readonly audible: AuditionView | null = $derived(this.transport?.playing ? this.transport.audition : null);

  constructor(
    private readonly backend: Backend,
    private readonly onFailure: (reason: unknown) => void,
  ) {}

  take(transport: TransportView, meters?: Meters): void {
    if (!this.views.isNews(transport.moment)) return;
    const began = transport.playing && !this.transport?.playing;
    this.transport = transport;
    if (transport.underruns < this.dropOutsSeen) this.dropOutsSeen = 0;
    this.reportedAt = performance.now();
    if (meters) {
      if (meters.clipped < this.clipSeen) this.clipSeen = 0;
      this.meters = meters;
      // Late reports of a sound that has ended do not bring a mark back that was acknowledged.
      if (transport.playing) this.markClipped(meters, began);
    }
  }

  /** Remembers which tracks were beyond full scale, until playback begins anew or it is acknowledged. */
  private markClipped(meters: Meters, began: boolean): void {
    if (began && this.clippedTracks.size > 0) this.clippedTracks = new Set();
    const peaks = Object.entries(meters.tracks).map(([track, peak_db]) => ({ track: Number(track), peak_db: peak_db ?? -Infinity }));
    const over = peaks.filter(({ track, peak_db }) => peak_db > 0 && !this.clippedTracks.has(track));
    if (over.length > 0) this.clippedTracks = new Set([...this.clippedTracks, ...over.map(({ track }) => track)]);
  }

  /** Clears the clipping mark of a track. */
  acknowledgeClip(track: number): void {
    this.clippedTracks = new Set([...this.clippedTracks].filter((each) => each !== track));
  }

  forgetDropOuts(): void {
    this.dropOutsSeen = this.transport?.underruns ?? 0;
  }

  /** The frame that is heard now in a document, or at which it is paused; null when it is stopped. */
  headOf(document: DocumentState, now = performance.now()): number | null {
    const { transport } = this;
    if (!transport?.playing && this.paused?.document === document.id) return this.paused.frame;
    if (!transport?.playing || transport.document !== document.id) return null;
    const passed = Math.min(now - this.reportedAt, LONGEST_GUESS_MS);
    // A stretched side goes through the recording at another speed than it sounds.
    const speed = transport.side === 'processed' ? 1 / document.data.length_ratio : 1;
    const head = transport.frame + (passed * document.data.rate * speed) / 1000;
    const selection = document.selection;
    if (transport.looping && selection && transport.frame < selection.end && head >= selection.end) {
      return selection.start + (head - selection.end);
    }
    return Math.min(head, document.data.frames);
  }

  /** The second of an audition's common time that is heard now; none when none is. */
  auditionAt(now = performance.now()): number | null {
    const audition = this.audible;
    if (!audition) return null;
    return Math.min(audition.at_s + Math.min(now - this.reportedAt, LONGEST_GUESS_MS) / 1000, audition.duration_s);
  }

  /** The frame of a comparison's timeline that is heard now; null when no version is. */
  comparedAt(now = performance.now()): number | null {
    const { transport } = this;
    if (!transport?.playing || transport.comparison === null) return null;
    const { rate, frames } = transport.comparison;
    return Math.min(frames, transport.frame + (Math.min(now - this.reportedAt, LONGEST_GUESS_MS) * rate) / 1000);
  }

  /** The side whose picture is shown: a stretched one cannot be aligned with the recording. */
  pictureOf(document: DocumentState): Side {
    return document.stretched ? 'original' : this.sideOf(document);
  }

  /** The side of a document that is heard, or would be: a chain that cannot run has no processed one. */
  sideOf(document: DocumentState): Side {
    return document.data.chain_problem === null ? this.documentsSide : 'original';
  }

  play(document: DocumentState, from: number, until: number | null = null): Promise<void> {
    this.paused = null;
    this.until = until;
    return this.ask(() => this.backend.call('playback.play', { document: document.id, from_frame: Math.round(from), until_frame: until }));
  }

  /** Lets a track of the library be heard, or two over each other, one side of them first. */
  audition(a: AuditionTrack, b: AuditionTrack | null, fromS: number, side: Side | null = null): Promise<void> {
    return this.ask(() => this.backend.call('library.audition', { a, b, from_s: Math.max(0, fromS), side }));
  }

  /** Chooses the stems that are heard of a recording while it is being separated, and plays them from a frame, if one is given. */
  hearStems(task: number, stems: StemKind[], from: number | null): Promise<void> {
    if (from !== null) this.paused = null;
    return this.ask(() => this.backend.call('stems.hear', { task, stems, from_frame: from }));
  }

  /** Goes on from another frame of what is loaded. */
  seekLoaded(frame: number): Promise<void> {
    return this.ask(() => this.backend.call('playback.seek', { frame }));
  }

  /** Plays what is chosen of versions from a frame of their timeline. */
  playCompared(from: number): Promise<void> {
    this.paused = null;
    return this.ask(() => this.backend.call('compare.play', { from_frame: from }));
  }

  /** Plays the passage of a blind test from a frame of the timeline. */
  playBlind(from: number): Promise<void> {
    this.paused = null;
    return this.ask(() => this.backend.call('blind.play', { from_frame: from }));
  }

  stop(): Promise<void> {
    this.paused = null;
    return this.ask(() => this.backend.call('playback.stop', {}));
  }

  /** Stops where the play head is; playing goes on from there. */
  async pause(document: DocumentState): Promise<void> {
    const frame = this.headOf(document);
    await this.stop();
    if (frame !== null) this.paused = { document: document.id, frame: Math.round(frame), until: this.until };
  }

  /** Plays from where it was paused, or from the cursor: the selection if the cursor is there. */
  async start(document: DocumentState): Promise<void> {
    if (this.paused?.document === document.id) await this.play(document, this.paused.frame, this.paused.until);
    else {
      const from = document.cursor >= document.data.frames ? 0 : document.cursor;
      await this.play(document, from, this.endOf(document, from));
    }
  }

  async toggle(document: DocumentState): Promise<void> {
    if (this.playing) await this.stop();
    else await this.start(document);
  }

  /** Where playing from a frame ends: at the end of the selection if it begins within it, else with the recording. A loop goes on. */
  private endOf(document: DocumentState, from: number): number | null {
    const { selection } = document;
    return selection && from >= selection.start && from < selection.end ? selection.end : null;
  }

  async seek(document: DocumentState, frame: number): Promise<void> {
    // The cursor is where playing begins again.
    if (!this.playing) this.paused = null;
    else if (this.endOf(document, frame) !== this.until) await this.play(document, frame, this.endOf(document, frame));
    else await this.ask(() => this.backend.call('playback.seek', { frame: Math.round(frame) }));
  }

  setLoop(looping: boolean): Promise<void> {
    return this.ask(() => this.backend.call('playback.set_loop', { looping }));
  }

  setSide(side: Side): Promise<void> {
    return this.ask(() => this.backend.call('playback.set_side', { side }));
  }

  /** Whether both sides of a document are brought to the same loudness. */
  matches(document: DocumentState): boolean {
    return this.transport?.matched_documents.includes(document.id) ?? false;
  }

  /** The gain that matches a document's processed side; null if unknown, as for documents that are not loaded. */
  matchedGain(document: DocumentState): { db: number; stale: boolean } | null {
    const { transport } = this;
    if (transport?.document !== document.id || transport.matched_gain_db === null) return null;
    return { db: transport.matched_gain_db, stale: transport.stale };
  }

  setMatched(document: DocumentState, matched: boolean): Promise<void> {
    return this.ask(() => this.backend.call('playback.set_matched', { document: document.id, matched }));
  }

  private async ask(call: () => Promise<TransportView>): Promise<void> {
    try {
      this.take(await call());
    } catch (reason) {
      this.onFailure(reason);
    }
  }
}
