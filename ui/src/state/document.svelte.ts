// An open document: its last state from the core, and the window's pending changes.

import { decodeCodes, decodePeaks, decodeSamples, type Backend } from '../backend';
import type { Chain, ChainReport, DocumentView, Edit, FrameRange, FrequencyBand, GeneratorSettings, Node, Rack, ResponseView, Side, SoundEdit, TimeFormat, WaveformView } from '../bindings';
import { LEVEL_ZOOM } from '../bindings';
import { TileCache } from '../draw/tiles';
import { between, chosenOf, findNode, latencyOf, withEdit } from '../lib/chain';
import type { Channels } from '../lib/channels';
import { latestOnly, settled } from '../lib/coalesce';
import { clamp } from '../lib/scale';
import { betweenSilences } from '../lib/silence';
import { inOwnWords } from '../lib/stems';
import type { Clock } from '../lib/time-input';
import type { TimeDisplay } from '../lib/time-ruler';
import { fitted, selectionBetween } from '../lib/view';
import { ClipsState } from './clips.svelte';
import { EditQueue } from './edits';
import { LevelsState } from './levels.svelte';
import { LoudnessState } from './loudness.svelte';
import { MarkersState } from './markers.svelte';
import { Snapping } from './snapping.svelte';
import { SpectrogramState } from './spectrogram.svelte';
import { TracksState } from './tracks.svelte';

export const RESPONSE_POINTS = 320;
export const RESPONSE_FROM_HZ = 20;

/** The time, frequencies and channels that edits act on. */
export interface Selected {
  readonly selection: FrameRange | null;
  readonly band: FrequencyBand | null;
  readonly channels: Channels;
}

export class DocumentState {
  data: DocumentView = $state.raw()!;
  view: FrameRange = $state.raw({ start: 0, end: 1 });
  /** The factor by which levels are magnified. */
  levelZoom = $state(1);
  cursor = $state(0);
  selection: FrameRange | null = $state.raw(null);
  /** The frequency part of the selection; none is every frequency. */
  band: FrequencyBand | null = $state.raw(null);
  /** The channels that edits act on; null for all. */
  channels: Channels = $state.raw(null);
  response: ResponseView | null = $state.raw(null);
  report: ChainReport | null = $state.raw(null);
  /** Width of the lanes in CSS pixels. */
  laneWidth = $state(1);
  /** Counts tiles that came, so that pictures are drawn again. */
  pictures = $state(0);
  /** The progress of the waveform, and problems met while reading. */
  waveform: WaveformView = $state.raw()!;
  /** The same of the processed side; null while nothing was told of it since the chain changed. */
  processed: WaveformView | null = $state.raw(null);
  selectedNode: number | null = $state(null);
  /** Nodes that were chosen together with it; they count while it is one of them. */
  marked: number[] = $state.raw([]);
  /** The node whose slot is to take the focus once it is drawn. */
  focusNode: number | null = $state(null);
  /** The node whose name is being typed. */
  renameNode: number | null = $state(null);
  private pendingEdits: Edit[] = $state.raw([]);
  /** The chain as it is being edited, ahead of the core's answer. */
  readonly chain: Chain = $derived(this.pendingEdits.reduce(withEdit, this.data.chain));
  /** The selected node and those chosen with it, in their order. */
  readonly chosen: number[] = $derived(chosenOf(this.chain, this.selectedNode, this.marked));
  /** Whether the chain makes it longer or shorter, so that the processed sound does not lie beside the recording. */
  readonly stretched: boolean = $derived(this.data.length_ratio !== 1);
  /** Whether there is a processed side besides the original. */
  readonly chained: boolean = $derived(this.data.chain.nodes.some((node) => !node.bypass));
  private readonly latencies: Map<number, number | null> = $derived(new Map(this.report?.nodes.map((each) => [each.node, each.latency_frames])));

  readonly id: number;
  readonly tiles: Record<Side, TileCache>;
  readonly edits: EditQueue;
  readonly spectrogram: SpectrogramState;
  readonly loudness: LoudnessState;
  readonly markers: MarkersState;
  readonly tracks: TracksState;
  readonly clips: ClipsState;
  readonly snapping: Snapping;
  readonly levels: LevelsState;
  private selecting = false;
  /** Whether the cursor was set after it was last sent with a change; that change then no longer moves it. */
  private cursorMoved = false;
  /** Settles once the pending change of the sound is made or refused. */
  private changing: Promise<unknown> = Promise.resolve();
  /** The last selection, until the core answers to it: its other answers tell of an earlier one. */
  private unanswered: Selected | null = null;
  private readonly askResponse: (points: number) => void;
  private readonly askReport: (id: number) => void;
  private readonly rememberView: ((args: null) => void) & { flush(): void };
  private readonly refreshTiles: Record<Side, (whole: boolean) => void>;

  constructor(
    private readonly backend: Backend,
    data: DocumentView,
    onFailure: (reason: unknown) => void,
  ) {
    this.id = data.id;
    this.data = inOwnWords(data);
    this.waveform = data.waveform;
    this.view = fitted(data.view, data.frames);
    this.levelZoom = data.level_zoom;
    this.cursor = data.cursor_frame;
    this.selection = data.selection;
    this.band = data.band;
    this.channels = data.channels_selected;
    const { id } = data;
    const tilesOf = (side: Side) =>
      new TileCache(
        {
          peaks: async (start, end, columns) => decodePeaks(await backend.peaks(id, side, start, end, columns)),
          samples: async (start, end) => decodeSamples(await backend.samples(id, side, start, end)),
        },
        data.frames,
        () => this.pictures++,
      );
    this.tiles = { original: tilesOf('original'), processed: tilesOf('processed') };
    this.spectrogram = new SpectrogramState(
      async (tile) => decodeCodes(await backend.spectrogram(id, tile)),
      // A document that is being closed has nothing left to cancel.
      (requests) => void backend.call('editor.cancel_tiles', { document: id, requests }).catch(() => undefined),
      (at) => backend.call('editor.spectrum_at', { document: id, ...at }),
      data.frames,
      data.rate,
    );
    this.loudness = new LoudnessState(backend, id);
    this.markers = new MarkersState(backend, id, (view) => this.adopt(view));
    void this.markers.take(data.markers);
    this.tracks = new TracksState(backend, id, () => this.data, (view) => this.adopt(view));
    this.clips = new ClipsState(backend, this);
    void this.clips.take(data);
    this.snapping = new Snapping(backend, id);
    this.levels = new LevelsState(backend, id);
    this.edits = new EditQueue({
      send: (edit) => backend.call('editor.edit', { document: id, edit }),
      made: (view) => this.adopt(view),
      refused: onFailure,
      pending: (edits) => (this.pendingEdits = edits),
    });
    this.askResponse = latestOnly(
      (points) => backend.call('editor.response', { document: id, points, from_hz: RESPONSE_FROM_HZ, to_hz: this.responseTop() }),
      (response) => (this.response = response),
    );
    this.askReport = latestOnly(
      (document) => backend.call('editor.chain_report', { document }),
      (report) => (this.report = report),
    );
    this.rememberView = settled(400, () => {
      void backend.call('editor.set_view', { document: id, view: this.view, cursor_frame: this.cursor, level_zoom: this.levelZoom }).catch(() => undefined);
    });
    const refresh = (side: Side) => settled(200, (whole: boolean) => this.tiles[side].refresh(whole));
    this.refreshTiles = { original: refresh('original'), processed: refresh('processed') };
    this.chainChanged();
    this.measure();
  }

  responseTop(): number {
    // Stays below half the rate, which a filter cannot be set to.
    return Math.max(RESPONSE_FROM_HZ * 2, Math.min(this.data.rate * 0.499, 48_000));
  }

  /** Adopts the core's state, unless a newer one is known. */
  adopt(data: DocumentView): void {
    if (data.revision < this.data.revision) return;
    // A chain that could not run may be heard now, and the other way round.
    const chainChanged = data.chain_text !== this.data.chain_text || (data.chain_problem === null) !== (this.data.chain_problem === null);
    const edited = data.sound !== this.data.sound;
    const cameBack = this.data.sources.some((source) => source.missing !== null) && data.sources.every((source) => source.missing === null);
    const { frames } = this.data;
    this.data = inOwnWords(data);
    void this.markers.take(data.markers);
    void this.clips.take(data);
    if (edited) this.soundChanged(frames);
    if (!this.selecting && !this.unanswered) {
      this.selection = data.selection;
      this.band = data.band;
      this.channels = data.channels_selected;
    }
    if (this.selectedNode !== null && !findNode(data.chain, this.selectedNode)) this.selectedNode = null;
    if (chainChanged || cameBack || edited) {
      this.processed = null;
      if (!edited) this.tiles.processed.renew();
      this.chainChanged();
    }
    this.measure();
  }

  edit(edit: Edit): void {
    this.edits.push(edit);
  }

  /** Edits the sound of the recording at the selection or the cursor; `render` if the sound has to be rendered for it. */
  async editSound(edit: SoundEdit, render = false): Promise<void> {
    await this.change(async (selected) => {
      await this.place(selected);
      return this.backend.call(render ? 'editor.render_sound' : 'editor.edit_sound', { document: this.id, edit });
    });
  }

  /** Copies the selection, and deletes it if it is cut. */
  async copySound(cut: boolean): Promise<void> {
    await this.change(async (selected) => {
      await this.place(selected);
      const some = this.channels !== null;
      const copied = await this.backend.call('editor.copy_sound', { document: this.id, cut: cut && !some });
      return cut && some ? this.backend.call('editor.render_sound', { document: this.id, edit: { kind: 'delete' } }) : copied;
    });
  }

  /** Runs a command that the core carries out at the selection or the cursor by itself. */
  async placedCommand(command: 'editor.insert_file' | 'editor.snap_to_zero'): Promise<void> {
    const view = await this.change(async (selected) => {
      await this.place(selected);
      return this.backend.call(command, { document: this.id });
    });
    this.takeCursor(view.cursor_frame);
  }

  /** Inserts a generated signal at the cursor, or in place of the selection. */
  async insertGenerated(settings: GeneratorSettings): Promise<void> {
    const view = await this.change(async (selected) => {
      await this.place(selected);
      return this.backend.call('editor.insert_generated', { document: this.id, settings });
    });
    this.takeCursor(view.cursor_frame);
  }

  /** Settles once the core knows the edits, the selection and the cursor, with the changes before them made. */
  async placed(): Promise<void> {
    const selected = this.untold();
    await this.changing;
    await this.place(selected);
  }

  /** Settles once every edit is made, and remembers what is seen. */
  async settle(): Promise<void> {
    this.rememberView.flush();
    await this.edits.idle();
  }

  async undo(): Promise<void> {
    await this.change(async () => {
      await this.edits.idle();
      return this.backend.call('editor.undo', { document: this.id });
    });
  }

  async redo(): Promise<void> {
    await this.change(async () => {
      await this.edits.idle();
      return this.backend.call('editor.redo', { document: this.id });
    });
  }

  /** Selects the whole sound: as long as it is once the change that is under way is made. */
  async selectAll(): Promise<void> {
    await this.changing;
    this.channels = null;
    this.commitSelection(selectionBetween(0, this.data.frames, this.data.frames));
  }

  /**
   * Makes a change of the sound once the one before it is made: keys may follow faster than the core answers. `make` is
   * given what was selected when the change was asked for, unless the core knows it.
   */
  private change<V extends DocumentView | null>(make: (selected: Selected | null) => Promise<V>): Promise<V> {
    const selected = this.untold();
    const change = this.changing
      .then(() => make(selected))
      .then((view) => {
        if (view) this.adopt(view);
        return view;
      });
    this.changing = change.catch(() => undefined);
    return change;
  }

  /** Tells the core what a change is about: all edits, the cursor, and a selection that it may not know. */
  private async place(selected: Selected | null): Promise<void> {
    await this.edits.idle();
    this.rememberView.flush();
    this.cursorMoved = false;
    await this.backend.call('editor.set_view', { document: this.id, view: this.view, cursor_frame: this.cursor, level_zoom: this.levelZoom });
    if (selected) this.adopt(await this.setSelection(selected));
  }

  /** Selects in the core; what a change has made shorter meanwhile, as far as it goes. */
  private setSelection({ selection, band, channels }: Selected): Promise<DocumentView> {
    const within = selection && selectionBetween(selection.start, selection.end, this.data.frames);
    return this.backend.call('editor.set_selection', { document: this.id, selection: within, band, channels: channels && [...channels] });
  }

  /** Lets a rack be heard and edited; what is under way is made in the one it is meant for. */
  async hearRack(rack: Rack): Promise<void> {
    await this.edits.idle();
    if (rack !== this.data.rack) this.adopt(await this.backend.call('editor.set_rack', { document: this.id, rack }));
  }

  /** Lets the user choose the file, or the folder, of a parameter. */
  async chooseFile(node: number, name: string, folder = false): Promise<void> {
    await this.edits.idle();
    this.adopt(await this.backend.call('editor.choose_argument', { document: this.id, node, name, folder }));
  }

  /** Lets the chains read these files, or takes out the effects that name them. */
  async answerFiles(files: string[], allow: boolean): Promise<void> {
    await this.edits.idle();
    this.adopt(await this.backend.call('workspace.answer_files', { document: this.id, files, allow }));
  }

  /** Frames by which a node lags. */
  latency(node: Node): number {
    return latencyOf(node, this.latencies);
  }

  /** Chooses a node together with others: itself more or less, or all from the selected one to it. */
  mark(node: number, how: 'toggle' | 'range'): void {
    const { chosen } = this;
    if (how === 'range') this.marked = between(this.chain, this.selectedNode, node);
    else this.marked = chosen.includes(node) && chosen.length > 1 ? chosen.filter((each) => each !== node) : [...chosen, node];
    // A range keeps its beginning, so that it can be drawn anew.
    if (how === 'toggle' || !this.marked.includes(this.selectedNode ?? -1)) this.selectedNode = this.marked.includes(node) ? node : (this.marked.at(-1) ?? node);
  }

  setView(view: FrameRange): void {
    this.view = fitted(view, this.data.frames);
    this.rememberView(null);
  }

  /** The clock by which times are read and written. */
  clock(display: TimeDisplay, format: TimeFormat = 'ruler'): Clock {
    return { rate: this.data.rate, frames: this.data.frames, display, format };
  }

  /** Draws levels taller or less tall. */
  setLevelZoom(zoom: number): void {
    this.levelZoom = clamp(zoom, LEVEL_ZOOM.least, LEVEL_ZOOM.most);
    this.rememberView(null);
  }

  /** Draws the loudest of what is visible of a side as tall as its lane. */
  async fitLevels(side: Side): Promise<void> {
    const start = Math.max(0, this.view.start);
    const end = Math.min(this.data.frames, this.view.end);
    if (end <= start) return;
    const block = decodePeaks(await this.backend.peaks(this.id, side, start, end, Math.max(1, Math.min(2048, Math.floor(end - start)))));
    let peak = 0;
    for (const plane of [...block.min, ...block.max]) for (const value of plane) if (Math.abs(value) > peak) peak = Math.abs(value);
    if (peak > 0) this.setLevelZoom(1 / peak);
  }

  setCursor(frame: number): void {
    this.cursor = clamp(Math.round(frame), 0, this.data.frames);
    this.cursorMoved = true;
    this.rememberView(null);
    this.measure();
  }

  /** Shows a selection while it is dragged; `commitSelection` makes it so. */
  dragSelection(selection: FrameRange | null, band: FrequencyBand | null = null): void {
    this.selecting = true;
    this.selection = selection;
    this.band = selection && band;
    this.measure();
  }

  commitSelection(selection: FrameRange | null, band: FrequencyBand | null = null): void {
    this.selecting = false;
    this.selection = selection;
    this.band = selection && band;
    this.tellSelection();
    if (selection) this.setCursor(selection.start);
    this.measure();
  }

  /** Lets edits act on some of the channels, or on all. */
  setChannels(channels: Channels): void {
    this.channels = channels;
    this.tellSelection();
  }

  /** Takes a selection that is being dragged back to what it was. */
  restoreSelection(former: Selected): void {
    this.selecting = false;
    this.selection = former.selection;
    this.band = former.band;
    this.channels = former.channels;
    this.measure();
  }

  private selected(): Selected {
    return { selection: this.selection, band: this.band, channels: this.channels };
  }

  /** The selection, if the core may not know it. */
  private untold(): Selected | null {
    return this.unanswered ?? (this.selecting ? this.selected() : null);
  }

  /** Tells the core what is selected, in its turn among the changes; of several that wait only the latest. */
  private tellSelection(): void {
    const selected = this.selected();
    this.unanswered = selected;
    const tell = async (): Promise<DocumentView | null> => {
      if (this.unanswered !== selected) return null;
      try {
        return await this.setSelection(selected);
      } finally {
        if (this.unanswered === selected) this.unanswered = null;
      }
    };
    this.change(tell).catch(() => this.adopt(this.data));
  }

  /** Selects the sound around a frame, looking a minute to both sides. */
  async selectBetweenSilences(frame: number): Promise<void> {
    const { rate, frames } = this.data;
    const start = Math.max(0, Math.floor(frame - 60 * rate));
    const end = Math.min(frames, Math.ceil(frame + 60 * rate));
    const columns = Math.max(1, Math.round((end - start) / Math.max(1, rate / 100)));
    const block = decodePeaks(await this.backend.peaks(this.id, 'original', start, end, columns));
    const peak = new Float32Array(block.columns);
    for (let channel = 0; channel < block.channels; channel++) {
      block.min[channel]?.forEach((low, i) => {
        peak[i] = Math.max(peak[i] ?? 0, -low, block.max[channel]?.[i] ?? 0);
      });
    }
    const found = betweenSilences({ startFrame: start, framesPerColumn: (end - start) / block.columns, peak }, frame, rate);
    this.commitSelection(found ? { start: Math.max(0, found.start), end: Math.min(frames, found.end) } : null);
  }

  takeWaveform(side: Side, waveform: WaveformView): void {
    if (side === 'original') this.waveform = waveform;
    else this.processed = waveform;
    this.refreshTiles[side](waveform.exact_share >= 1);
    if (side === 'original') this.tracks.refresh(waveform.exact_share >= 1);
  }

  refreshReport(): void {
    this.askReport(this.id);
  }

  close(): void {
    this.rememberView.flush();
    this.tiles.original.close();
    this.tiles.processed.close();
    this.spectrogram.close();
    this.tracks.close();
  }

  /** Every picture is of another sound now, which may be longer or shorter. */
  private soundChanged(former: number): void {
    const { frames } = this.data;
    this.tiles.original.reset(frames);
    this.tiles.processed.reset(frames);
    this.spectrogram.tiles.reset(frames);
    this.takeCursor(this.data.cursor_frame);
    this.waveform = this.data.waveform;
    // A view of everything stays one.
    const all = this.view.start <= 0 && this.view.end >= former;
    this.view = fitted(all ? { start: 0, end: Math.max(1, frames) } : this.view, frames);
    this.rememberView(null);
    this.pictures++;
    this.spectrogram.pictures++;
  }

  /** Puts the cursor where a change leaves it, unless the user has set it meanwhile. */
  private takeCursor(frame: number): void {
    this.cursor = Math.min(this.cursorMoved ? this.cursor : frame, this.data.frames);
  }

  private chainChanged(): void {
    this.askResponse(RESPONSE_POINTS);
    this.askReport(this.id);
  }

  private measure(): void {
    const { frames, chain_text, sound, chain_problem, sources } = this.data;
    const at = Math.min(this.cursor, frames - 1);
    this.levels.measure({
      sound: JSON.stringify([chain_text, sound, chain_problem === null, sources.map((source) => source.missing === null)]),
      chained: this.chained,
      selection: this.selection,
      band: this.band,
      cursor: frames > 0 ? { start: at, end: at + 1 } : null,
    });
  }
}
