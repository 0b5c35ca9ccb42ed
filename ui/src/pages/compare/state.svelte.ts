// Versions of a recording: which there are, which is heard, what is seen of them, and what the measures say.

import type { CompareCurve, CompareFormat, CompareSound, CompareVersion, CompareView, FrameRange, Measure, Side, WaveformView } from '../../bindings';
import { nextSorting, sameSound, sortedVersions, tableText, type Sorting } from './measures';
import { scrolled, whole } from '../../lib/view';
import { text } from '../../text/catalogue';
import type { App } from '../../state/app.svelte';
import { ComparePictures } from './pictures.svelte';
import { failureOf } from '../../state/notices.svelte';

export type SeenHow = 'beside' | 'over' | 'difference';

/** The measure whose curve is shown at first. */
const FIRST_CURVE = 'segmental_snr';

export class Compare {
  view: CompareView | null = $state.raw(null);
  /** Why there is no list. */
  failure: string | null = $state(null);
  /** The current row, by its version. */
  private row: number | null = $state(null);
  /** The sound that was heard last, the reference aside; it is seen beside the reference. */
  private chosen: CompareSound | null = $state.raw(null);
  seenHow: SeenHow = $state('beside');
  sorting: Sorting | null = $state.raw(null);
  measure: string = $state(FIRST_CURVE);
  curves: CompareCurve[] = $state.raw([]);
  range: FrameRange = $state.raw({ start: 0, end: 1 });
  /** Where playing begins. */
  cursor = $state(0);
  hover: number | null = $state(null);
  pictures: ComparePictures | null = $state.raw(null);
  private curvesOf = '';
  private ranged = '';

  readonly versions: CompareVersion[] = $derived(this.view?.versions ?? []);
  readonly timeline = $derived(this.view?.timeline ?? null);
  readonly current: CompareVersion | null = $derived.by(() => this.versions.find(({ id }) => id === this.row) ?? this.versions[0] ?? null);
  readonly reference: CompareVersion | null = $derived.by(() => this.versions.find(({ id }) => id === this.view?.reference) ?? null);
  readonly others: CompareVersion[] = $derived(this.versions.filter(({ id }) => id !== this.view?.reference));
  readonly measures: Measure[] = $derived(this.view?.measures ?? []);
  /** The columns of the table. */
  readonly columns: CompareVersion[] = $derived(sortedVersions(this.others, this.measures, this.sorting));
  readonly shownMeasure: Measure | null = $derived(this.measures.find(({ name }) => name === this.measure) ?? null);
  readonly running = $derived(this.view?.job != null);
  readonly job = $derived.by(() => (this.running ? (this.app.jobs.all.find((job) => job.id === this.view?.job) ?? null) : null));
  readonly failed: CompareVersion[] = $derived(this.versions.filter(({ state }) => state === 'failed'));
  /** The sound that is seen beside the reference. */
  readonly seen: CompareSound | null = $derived.by(() => {
    const known = this.chosen && this.canHear(this.chosen) === null ? this.chosen : null;
    const first = this.others.find(({ state }) => state === 'compared');
    return known ?? (first ? { kind: 'version', version: first.id } : null);
  });
  /** Whether what is heard, or would be heard by Space, is one of these. */
  readonly playing = $derived.by(() => this.app.player.playing && this.app.player.transport?.comparison != null);

  constructor(private readonly app: App) {}

  async load(): Promise<void> {
    this.failure = await failureOf(async () => this.take(await this.app.backend.call('compare.view', {})));
  }

  take(view: CompareView): void {
    this.view = view;
    if (view.heard && view.heard.version !== view.reference) this.chosen = view.heard;
    const { timeline } = view;
    const ranged = timeline ? `${view.reference} ${timeline.frames}` : '';
    if (ranged !== this.ranged) {
      this.ranged = ranged;
      this.cursor = 0;
      this.range = whole(timeline?.frames ?? 1);
    }
    this.draw();
    void this.loadCurves();
  }

  /** Makes the pictures of the reference and of what is seen beside it. */
  private draw(): void {
    const { timeline, reference, seen } = this;
    const sounds = reference && { original: { kind: 'version' as const, version: reference.id }, processed: seen ?? { kind: 'version' as const, version: reference.id } };
    const now = this.pictures;
    const stays = now && sounds && timeline?.revision === now.timeline.revision && sameSound(sounds.original, now.sounds.original) && sameSound(sounds.processed, now.sounds.processed);
    if (stays || (!now && !sounds)) return;
    this.pictures = sounds && timeline ? new ComparePictures(this.app.backend, sounds, timeline) : null;
    now?.close();
  }

  takePeaks(sound: CompareSound, waveform: WaveformView): void {
    this.pictures?.takePeaks(sound, waveform);
  }

  private async change(call: () => Promise<CompareView>): Promise<void> {
    await this.app.notices.attempt(async () => this.take(await call()));
  }

  addFiles = (): Promise<void> => this.change(() => this.app.backend.call('compare.add_files', {}));

  addDocument(document: number): Promise<void> {
    return this.change(() => this.app.backend.call('compare.add_documents', { documents: [document] }));
  }

  async remove(version: CompareVersion | null = this.current): Promise<void> {
    if (!version) return;
    const at = this.versions.findIndex(({ id }) => id === version.id);
    await this.change(() => this.app.backend.call('compare.remove', { versions: [version.id] }));
    this.row = (this.versions[at] ?? this.versions[at - 1])?.id ?? null;
  }

  /** Why a version cannot be the reference; null if it can. */
  canRefer(version: CompareVersion | null): string | null {
    if (!version) return text.reasons.noVersion;
    return version.rate === null ? text.reasons.unreadableVersion : version.id === this.view?.reference ? text.reasons.isReference : null;
  }

  async makeReference(version: CompareVersion | null = this.current): Promise<void> {
    if (version && this.canRefer(version) === null) await this.change(() => this.app.backend.call('compare.set_reference', { version: version.id }));
  }

  start = (): Promise<void> => this.change(() => this.app.backend.call('compare.start', {}));

  async cancel(): Promise<void> {
    await this.app.notices.attempt(() => this.app.backend.call('compare.cancel', {}));
  }

  moveTo(index: number): void {
    const { versions } = this;
    this.row = versions[Math.max(0, Math.min(versions.length - 1, index))]?.id ?? null;
  }

  choose(version: CompareVersion): void {
    this.row = version.id;
  }

  /** Why something cannot be heard; null if it can. */
  canHear(sound: CompareSound | null): string | null {
    const t = text.compare.differenceReasons;
    const version = this.versions.find(({ id }) => id === sound?.version);
    if (!sound || !version) return t.none;
    if (version.state === 'failed') return version.failure?.message ?? text.reasons.unreadableVersion;
    if (version.id === this.view?.reference) return sound.kind === 'difference' ? t.reference : null;
    if (version.state !== 'compared') return t.waiting;
    return sound.kind === 'difference' && version.alignment === null ? t.alone : null;
  }

  /** The difference that a command means: of what is heard or seen. */
  readonly difference: CompareSound | null = $derived.by(() => {
    const { heard } = this.view ?? {};
    const version = heard && heard.version !== this.view?.reference ? heard.version : this.seen?.version;
    return version === undefined ? null : { kind: 'difference', version };
  });

  async hear(sound: CompareSound | null): Promise<void> {
    const reason = this.canHear(sound);
    if (sound && reason === null) await this.change(() => this.app.backend.call('compare.hear', { sound }));
    else this.app.notices.tell('info', reason ?? '');
  }

  /** A is the reference, B the version that was heard last. */
  async hearSide(side: Side): Promise<void> {
    const { reference } = this;
    await this.hear(side === 'original' ? reference && { kind: 'version', version: reference.id } : this.seen);
  }

  /** The gain of the version that is heard, alone or in its difference, while loudness is matched. */
  get heardGain(): { db: number; stale: boolean } | null {
    const heard = this.view?.heard;
    const version = this.versions.find(({ id }) => id === heard?.version);
    if (heard?.kind === 'difference') return version?.alignment ? { db: -version.alignment.gain_db, stale: false } : null;
    if (version?.gain_db == null) return null;
    return { db: version.gain_db, stale: this.running };
  }

  /** Hears the version of a place in the list, from 0. */
  hearPlace(place: number): Promise<void> {
    const version = this.versions[place];
    return version ? this.hear({ kind: 'version', version: version.id }) : Promise.resolve();
  }

  /** From the difference back to its version, and from anything else to the difference. */
  async toggleDifference(): Promise<void> {
    const { heard } = this.view ?? {};
    await this.hear(heard?.kind === 'difference' ? { kind: 'version', version: heard.version } : this.difference);
  }

  setMatched(matched: boolean): Promise<void> {
    return this.change(() => this.app.backend.call('compare.set_matched', { matched }));
  }

  setMatchLevel(on: boolean): Promise<void> {
    return this.change(() => this.app.backend.call('compare.measure_at_equal_level', { on }));
  }

  setDifferenceGain(db: number): Promise<void> {
    return this.change(() => this.app.backend.call('compare.set_difference_gain', { db }));
  }

  /** The frame that is heard now; null when none of these is. */
  head(): number | null {
    return this.app.player.comparedAt();
  }

  async play(from: number = this.cursor): Promise<void> {
    const { timeline } = this;
    if (!timeline) return;
    const frame = Math.max(0, Math.min(timeline.frames, Math.round(from)));
    await this.app.player.playCompared(frame >= timeline.frames ? 0 : frame);
  }

  async toggle(): Promise<void> {
    if (this.app.player.playing) {
      const head = this.head();
      await this.app.player.stop();
      // After a pause it goes on from there.
      if (head !== null && this.app.settings.now.space_pauses) this.cursor = Math.round(head);
    } else await this.play();
  }

  /** Brings the place where playing begins to a frame; what plays goes on from there. */
  async goTo(frame: number, plays = false): Promise<void> {
    const { timeline, range } = this;
    if (!timeline) return;
    this.cursor = Math.max(0, Math.min(timeline.frames, Math.round(frame)));
    if (this.cursor < range.start || this.cursor > range.end) this.range = scrolled(range, this.cursor - (range.start + range.end) / 2, timeline.frames);
    if (this.playing || plays) await this.play(this.cursor);
  }

  async step(seconds: number): Promise<void> {
    if (this.timeline) await this.goTo((this.head() ?? this.cursor) + seconds * this.timeline.rate);
  }

  showMeasure(measure: string): void {
    this.measure = measure;
    void this.loadCurves();
  }

  sortBy(measure: string): void {
    this.sorting = nextSorting(this.sorting, measure);
  }

  private async loadCurves(): Promise<void> {
    const { measure } = this;
    const key = `${measure} ${this.view?.reference} ${this.view?.match_level} ${this.versions.map(({ id, state }) => `${id}${state}`).join()}`;
    if (key === this.curvesOf) return;
    this.curvesOf = key;
    await this.app.notices.attempt(async () => {
      const curves = await this.app.backend.call('compare.curves', { measure });
      if (this.curvesOf === key) this.curves = curves;
    });
  }

  get tableText(): string {
    const t = text.compare;
    return tableText(this.columns, this.measures, { measure: t.measure, missing: t.missing });
  }

  async copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(this.tableText);
      this.app.notices.tell('info', text.compare.copied);
    } catch {
      this.app.notices.tell('error', text.library.table.notCopied);
    }
  }

  async export(format: CompareFormat): Promise<void> {
    await this.app.notices.attempt(() => this.app.backend.call('compare.export', { format }));
  }
}
