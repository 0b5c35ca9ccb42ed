// The interface's state: documents, playback, jobs and settings, and the core's events that change it.

import { getContext, setContext } from 'svelte';
import type { Backend } from '../backend';
import type { CopiedView, DevicesView, EffectView, Event, ExportFormat, JobView, Language, PresetView, Side, SpectrogramAnalysis, SpectrogramPreset, Startup } from '../bindings';
import { scrolled } from '../lib/view';
import { text } from '../text/catalogue';
import { effectInLanguage, presetInLanguage, said } from '../text/core-words';
import { Batch } from './batch.svelte';
import { Blind } from './blind.svelte';
import { Compare } from './compare.svelte';
import { Codecs } from './codecs.svelte';
import { beginAgain, takeLeft } from './begin-again';
import { Dialogs } from './dialogs.svelte';
import type { DocumentState } from './document.svelte';
import { Documents } from './documents.svelte';
import type { GuideName } from '../lib/help/guides';
import { Generating } from './generating.svelte';
import { Help } from './help.svelte';
import { Jobs } from './jobs.svelte';
import { Layout } from './layout.svelte';
import { Library } from './library.svelte';
import { Models } from './models.svelte';
import { Monitor } from './monitor.svelte';
import { failureMessage, Notices } from './notices.svelte';
import { Player } from './player.svelte';
import { Recording } from './recording.svelte';
import { Separation } from './separation.svelte';
import { SettingsStore } from './settings.svelte';
import { DeviceVerification } from './verification.svelte';

/** The pages, which share the bars at the top and the bottom. */
export type PageName = 'editor' | 'library' | 'batch' | 'compare' | 'blind' | 'codecs' | 'models' | 'help';

export type RepairName = 'spectral_gain' | 'spectral_isolate' | 'spectral_heal';

export class App {
  ready = $state(false);
  startFailure: string | null = $state(null);
  version = $state('');
  effects: EffectView[] = $state.raw([]);
  exportFormats: ExportFormat[] = $state.raw(['wav', 'flac']);
  /** The sound that was cut or copied last. */
  copied: CopiedView | null = $state.raw(null);
  presets: PresetView[] = $state.raw([]);
  spectrogramPresets: SpectrogramPreset[] = $state.raw([]);
  devices: DevicesView | null = $state.raw(null);
  page: PageName = $state('editor');
  private beforeHelp: PageName = 'editor';
  private beforeModels: PageName = 'editor';
  dropHover = $state(false);
  follow = $state(true);
  hoverFrame: number | null = $state(null);
  /** Whether lines stand at the multiples of the pointer's frequency. */
  harmonics = $state(false);

  readonly effectByName: Map<string, EffectView> = $derived(new Map(this.effects.map((each) => [each.name, each])));
  /** In the order of the list: those of one purpose together. */
  readonly effectsByPurpose: EffectView[] = $derived(Object.keys(text.effects.purposes).flatMap((purpose) => this.effects.filter((each) => each.purpose === purpose)));

  readonly notices = new Notices();
  readonly dialogs = new Dialogs();
  readonly help = new Help();
  readonly layout = new Layout();
  readonly settings: SettingsStore;
  readonly jobs: Jobs;
  readonly player: Player;
  readonly documents: Documents;
  readonly monitor: Monitor;
  readonly recording: Recording;
  readonly generating: Generating;
  readonly library: Library;
  readonly batch: Batch;
  readonly compare: Compare;
  readonly blind: Blind;
  readonly codecs: Codecs;
  readonly models: Models;
  readonly separation: Separation;
  readonly verification: DeviceVerification;

  constructor(readonly backend: Backend) {
    const { notices } = this;
    const fail = (reason: unknown): void => notices.fail(reason);
    this.settings = new SettingsStore(backend, notices, () => ({ ...this.layout.panes(), ...this.library.panes(), library: this.page === 'library' ? 1 : 0 }));
    this.jobs = new Jobs(backend, notices);
    this.player = new Player(backend, fail);
    this.documents = new Documents(backend, notices, this.player, () => this.showPage('editor'));
    this.monitor = new Monitor(backend, () => this.settings.now.analyser, () => this.player.playing, fail);
    this.recording = new Recording(backend, notices, this.documents, this.settings);
    this.generating = new Generating(this);
    this.library = new Library(this);
    this.batch = new Batch(this);
    this.compare = new Compare(this);
    this.blind = new Blind(this);
    this.codecs = new Codecs(this);
    this.models = new Models(this);
    this.separation = new Separation(this);
    this.verification = new DeviceVerification(backend, notices, this.jobs);
  }

  async start(): Promise<void> {
    try {
      await this.backend.listen((event) => this.take(event));
      await this.backend.onDropHover((hovering) => (this.dropHover = hovering));
      const startup = await this.backend.call('startup', {});
      this.begin(startup);
      this.devices = await this.backend.call('devices', {});
      this.presets = await this.backend.call('presets', {});
      await this.jobs.load();
      if (this.jobs.running.some((job) => job.purpose === 'separate')) this.separation.take(await this.backend.call('stems_queue', {}));
      this.spectrogramPresets = (await this.backend.call('spectrogram_presets', {})).map(presetInLanguage);
    } catch (reason) {
      if (this.ready) this.notices.fail(reason);
      else this.startFailure = failureMessage(reason);
    }
  }

  private begin(startup: Startup): void {
    this.version = startup.version;
    this.settings.take(startup.settings);
    this.effects = startup.effects.map(effectInLanguage);
    this.exportFormats = startup.export_formats;
    this.layout.take(startup.settings.panes);
    this.library.takePanes(startup.settings.panes);
    this.documents.begin(startup.documents, startup.active, startup.recent, startup.last_closed);
    this.recording.left = startup.left_recordings;
    for (const notice of startup.notices) this.notices.tell(notice.level, said(notice.message));
    this.ready = true;
    if (startup.settings.panes['library'] === 1) this.showPage('library');
    const left = takeLeft();
    if (left) this.showPage(left.page);
    if (left) this.dialogs.open = left.dialog;
  }

  private take(event: Event): void {
    switch (event.kind) {
      case 'opened':
        this.dropHover = false;
        return this.documents.take(event.opened);
      case 'document':
        return this.documents.find(event.document.id)?.adopt(event.document);
      case 'peaks':
        return this.documents.takeWaveform(event.document, event.side, event.waveform);
      case 'transport':
        return this.player.take(event.transport, event.meters);
      case 'recording':
        return this.recording.take(event.recording);
      case 'loudness':
        return this.documents.find(event.document)?.loudness.take(event.side, event.loudness);
      case 'job':
        return this.takeJob(event.job);
      case 'devices': {
        const fellBack = event.devices.preview.fallback && !this.devices?.preview.fallback;
        this.devices = event.devices;
        this.documents.active?.refreshReport();
        if (fellBack) this.notices.tell('warning', text.device.fallback(event.devices.preview), 'device');
        if (!event.devices.preview.fallback) this.notices.end('device');
        return;
      }
      case 'spectrogram_device': {
        const fellBack = event.device.fallback && !this.devices?.spectrogram?.fallback;
        if (this.devices) this.devices = { ...this.devices, spectrogram: event.device };
        if (fellBack && !this.devices?.preview.fallback) this.notices.tell('warning', text.device.spectrogramFallback(event.device), 'spectrogram device');
        if (!event.device.fallback) this.notices.end('spectrogram device');
        return;
      }
      case 'compare':
        this.dropHover = false;
        return this.compare.take(event.compare);
      case 'compare_peaks':
        return this.compare.takePeaks(event.sound, event.waveform);
      case 'batch':
        this.dropHover = false;
        return this.batch.take(event.batch);
      case 'batch_items':
        return this.batch.takeItems(event.items, event.status);
      case 'scan':
        return this.library.takeScan(event.scan, event.counts);
      case 'library_changed':
        return this.library.takeChange(event.library);
      case 'stems':
        return this.separation.take(event.queue);
      case 'notice':
        return this.notices.tell(event.notice.level, said(event.notice.message));
    }
  }

  private takeJob(job: JobView): void {
    this.library.questions.takeJob(job);
    this.codecs.takeJob(job);
    const known = this.jobs.take(job);
    if (job.state === 'running' || known?.state === job.state || this.dialogs.exportJob === job.id) return;
    // Other places report these results: the export dialog, the library, and the command of a rendered edit.
    if (['forecast', 'sound', 'playlist', 'tags'].includes(job.purpose)) return;
    if (job.purpose === 'verify' && job.state === 'done') void this.verification.load();
    // A job that succeeds ends the notice of an earlier failure.
    if (job.state === 'done') this.notices.end(`job ${job.purpose}`);
    if (job.purpose === 'stems' && job.state === 'done') this.notices.tell('info', text.tracks.exported(said(job.title)));
    if (job.purpose === 'playlist_file' && job.state === 'done') this.notices.tell('info', text.playlists.done(said(job.title)));
    if (job.purpose === 'report' && job.state === 'done') this.notices.tell('info', text.compare.exported(said(job.title)));
    if (job.purpose === 'picture' && job.state === 'done') this.notices.tell('info', text.picture.done(said(job.title)));
    if (job.state === 'done' && job.result) this.notices.tell('info', text.exporting.doneToast(job.result));
    if (job.state === 'failed') this.notices.tell('error', said(job.failure?.message ?? job.title), `job ${job.purpose}`);
  }

  showPage(page: PageName): void {
    const before = this.page;
    const other = page !== before;
    if (page === 'help' && other) this.beforeHelp = this.page;
    if (page === 'models' && other && before !== 'help') this.beforeModels = before;
    this.page = page;
    if (page === 'library') void this.library.load();
    if (page === 'batch') void this.batch.load();
    if (page === 'compare') void this.compare.load();
    if (page === 'blind') void this.blind.load();
    // Dropped files belong to the page in front.
    if (other) void this.notices.attempt(() => this.backend.call('take_batch_drops', { on: page === 'batch' }));
    if (other && (page === 'compare' || before === 'compare')) void this.notices.attempt(() => this.backend.call('take_compare_drops', { on: page === 'compare' }));
    if (other) this.settings.panesChanged();
  }

  /** Opens the help, at a guide and a heading of it if they are named, else where it was left. */
  showHelp(guide: GuideName = this.help.guide, section: string | null = null): void {
    this.dialogs.open = null;
    this.help.go(guide, section);
    this.showPage('help');
  }

  leaveModels(): void {
    this.showPage(this.beforeModels);
  }

  leaveHelp(): void {
    this.showPage(this.beforeHelp);
  }

  /** Ends the program. Documents, history and settings are kept. */
  async quit(): Promise<void> {
    await this.notices.attempt(async () => {
      await this.rest();
      await this.backend.call('quit', {});
    });
  }

  /** Sets the language by reloading the window, which restores its state from the core. */
  async setLanguage(language: Language, restart = beginAgain): Promise<void> {
    if (language === this.settings.now.language) return;
    await this.settings.save({ language });
    await this.rest();
    restart({ page: this.page, dialog: this.dialogs.open });
  }

  /** Waits until the core has everything that was done here. */
  private async rest(): Promise<void> {
    await Promise.all(this.documents.all.map((document) => document.edits.idle()));
    await this.settings.flush();
  }

  /** Adds an effect after the selected one and focuses it. */
  async addEffect(effect: string): Promise<void> {
    const document = this.documents.active;
    if (!document) return;
    this.layout.rackOpen = true;
    const added = await this.documents.add(document, { kind: 'add_effect', effect, after: document.selectedNode });
    if (added === null) return;
    document.focusNode = added;
    const uses = this.settings.now.effect_uses;
    this.settings.change({ effect_uses: { ...uses, [effect]: (uses[effect] ?? 0) + 1 } });
  }

  async refreshCopied(): Promise<void> {
    this.copied = await this.backend.call('copied_sound', {});
  }

  /** Chooses what a drag on the lanes selects. */
  setBandTool(on: boolean): void {
    this.layout.bandTool = on;
    this.settings.panesChanged();
  }

  /** Brings the cursor to a frame, playing goes on from there, and the lanes show it. */
  goTo(document: DocumentState, frame: number): void {
    const { view, data } = document;
    document.setCursor(frame);
    if (frame < view.start || frame > view.end) document.setView(scrolled(view, frame - (view.start + view.end) / 2, data.frames));
    if (this.player.headOf(document) !== null) void this.player.seek(document, document.cursor);
  }

  /** Edits the selected part of the recording; the lanes keep the keyboard, for the next part. */
  async repair(effect: RepairName): Promise<void> {
    const document = this.documents.active;
    if (!document?.selection) return;
    this.layout.rackOpen = true;
    await this.documents.add(document, { kind: 'add_repair', effect, range: document.selection, band: document.band });
  }

  /** Changes what spectrograms are computed with; what is seen of each stays where it is. */
  setAnalysis(change: Partial<SpectrogramAnalysis>): void {
    const { scale } = this.settings.now.spectrogram.analysis;
    const next = change.scale ?? scale;
    if (next !== scale) for (const each of this.documents.all) each.spectrogram.rescale(scale, next, each.data.rate);
    this.settings.setAnalysis(change);
  }

  /** Whether A, B and loudness refer to the library page's comparison: not while something else plays. */
  get comparing(): boolean {
    const { audition } = this.library.questions;
    return this.page === 'library' && audition.pair?.b != null && (audition.playing || !this.player.playing);
  }

  /** Whether A, B and loudness refer to versions of a recording: the reference, and the version last played. */
  get versions(): boolean {
    return this.page === 'compare' && this.compare.timeline !== null;
  }

  /** The side that is heard, or would be. */
  get side(): Side {
    if (this.versions) return this.compare.view?.heard?.version === this.compare.view?.reference ? 'original' : 'processed';
    if (!this.comparing) return this.player.documentsSide;
    return this.library.questions.audition.side === 'a' ? 'original' : 'processed';
  }

  setSide(side: Side): Promise<void> {
    if (this.page === 'blind') return this.blind.trial?.names ? this.blind.hear({ kind: side === 'original' ? 'a' : 'b' }) : Promise.resolve();
    if (this.versions) return this.compare.hearSide(side);
    return this.comparing ? this.library.questions.audition.hear(side === 'original' ? 'a' : 'b') : this.player.setSide(side);
  }

  /** Whether both sides are brought to the same loudness: those of the document in front; auditions have a setting. */
  get matched(): boolean {
    if (this.versions) return this.compare.view?.matched === true;
    if (this.comparing) return this.settings.now.library.matched;
    return this.documents.active !== null && this.player.matches(this.documents.active);
  }

  /** Whether there is something whose loudness could be matched. */
  get canMatch(): boolean {
    return this.versions || this.comparing || this.documents.active !== null;
  }

  /** The gain that does so, once it is known. */
  get matchedGain(): { db: number; stale: boolean } | null {
    const { transport } = this.player;
    if (this.versions) return this.compare.heardGain;
    if (!this.comparing) return this.documents.active && this.player.matchedGain(this.documents.active);
    return transport?.audition && transport.matched_gain_db !== null ? { db: transport.matched_gain_db, stale: transport.stale } : null;
  }

  async setMatched(matched: boolean): Promise<void> {
    if (this.versions) await this.compare.setMatched(matched);
    else if (this.comparing) await this.matchAuditions(matched);
    else if (this.documents.active) await this.player.setMatched(this.documents.active, matched);
  }

  /** Stored at once: what sounds changes with it. */
  matchAuditions(matched: boolean): Promise<void> {
    return this.settings.save({ library: { ...this.settings.now.library, matched } });
  }
}

const KEY = Symbol('app');
export const provideApp = (app: App): App => setContext(KEY, app);
export const useApp = (): App => getContext<App>(KEY);
