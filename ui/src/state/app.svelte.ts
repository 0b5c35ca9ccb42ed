// The interface's state: documents, playback, jobs and settings, and the core's events that change it.

import { getContext, setContext } from 'svelte';
import type { Backend } from '../backend';
import type { DevicesView, EffectView, Event, ExportFormat, JobView, Language, PresetView, SpectrogramAnalysis, SpectrogramPreset, Startup } from '../bindings';
import type { Page, Sides } from '../pages/page';
import { PAGES, pageNamed, type PageName } from '../pages/pages';
import { scrolled } from '../lib/view';
import { text } from '../text/catalogue';
import { effectInLanguage, presetInLanguage, said } from '../text/core-words';
import { beginAgain, takeLeft } from './begin-again';
import { Dialogs } from './dialogs.svelte';
import type { DocumentState } from './document.svelte';
import { Documents } from './documents.svelte';
import { Generating } from './generating.svelte';
import { Jobs } from './jobs.svelte';
import { Layout } from './layout.svelte';
import { Monitor } from './monitor.svelte';
import { failureMessage, Notices } from './notices.svelte';
import { Player } from './player.svelte';
import { Recording } from './recording.svelte';
import { Separation } from './separation.svelte';
import { SettingsStore } from './settings.svelte';
import { documentSides } from './sides';
import { DeviceVerification } from './verification.svelte';

export type RepairName = 'spectral_gain' | 'spectral_isolate' | 'spectral_heal';

export class App {
  ready = $state(false);
  startFailure: string | null = $state(null);
  version = $state('');
  effects: EffectView[] = $state.raw([]);
  exportFormats: ExportFormat[] = $state.raw(['wav', 'flac']);
  /** Whether the sound that was cut or copied last has only some of the channels; null if there is none. */
  copiedSome: boolean | null = $state(null);
  presets: PresetView[] = $state.raw([]);
  spectrogramPresets: SpectrogramPreset[] = $state.raw([]);
  devices: DevicesView | null = $state.raw(null);
  page: PageName = $state('editor');
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
  readonly layout = new Layout();
  readonly settings: SettingsStore;
  readonly jobs: Jobs;
  readonly player: Player;
  readonly documents: Documents;
  readonly monitor: Monitor;
  readonly recording: Recording;
  readonly generating: Generating;
  readonly separation: Separation;
  readonly verification: DeviceVerification;

  constructor(readonly backend: Backend) {
    const { notices } = this;
    const fail = (reason: unknown): void => notices.fail(reason);
    this.settings = new SettingsStore(backend, notices, () => Object.assign(this.layout.panes(), ...PAGES.map((page) => page.panes?.(this))));
    this.jobs = new Jobs(backend, notices);
    this.player = new Player(backend, fail);
    this.documents = new Documents(backend, notices, this.player, () => this.showPage('editor'));
    this.monitor = new Monitor(backend, () => this.settings.now.analyser, () => this.player.playing, fail);
    this.recording = new Recording(backend, notices, this.documents, this.settings);
    this.generating = new Generating(this);
    for (const page of PAGES) Object.assign(this, page.state?.(this));
    this.separation = new Separation(this);
    this.verification = new DeviceVerification(backend, notices, this.jobs);
  }

  async start(): Promise<void> {
    try {
      await this.backend.listen((event) => this.take(event));
      await this.backend.onDropHover((hovering) => (this.dropHover = hovering));
      const startup = await this.backend.call('workspace.startup', {});
      this.begin(startup);
      this.devices = await this.backend.call('devices.view', {});
      this.presets = await this.backend.call('editor.presets', {});
      await this.jobs.load();
      if (this.jobs.running.some((job) => job.purpose === 'separate')) this.separation.take(await this.backend.call('stems.view', {}));
      this.spectrogramPresets = (await this.backend.call('editor.spectrogram_presets', {})).map(presetInLanguage);
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
    for (const page of PAGES) page.takePanes?.(this, startup.settings.panes);
    this.documents.begin(startup.documents, startup.active, startup.recent, startup.last_closed);
    this.recording.left = startup.left_recordings;
    for (const notice of startup.notices) this.notices.tell(notice.level, said(notice.message));
    this.ready = true;
    const first = PAGES.find((page) => page.isFirst?.(startup.settings.panes));
    if (first) this.showPage(first.name);
    const left = takeLeft();
    if (left) this.showPage(left.page);
    if (left) this.dialogs.open = left.dialog;
  }

  private take(event: Event): void {
    for (const { events } of PAGES) (events?.[event.kind] as ((app: App, event: Event) => unknown) | undefined)?.(this, event);
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
        return this.documents.find(event.document)?.loudness.take(event.side, event.generation);
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
      case 'batch':
        this.dropHover = false;
        return;
      case 'stems':
        return this.separation.take(event.queue);
      case 'notice':
        return this.notices.tell(event.notice.level, said(event.notice.message));
    }
  }

  private takeJob(job: JobView): void {
    for (const page of PAGES) page.takeJob?.(this, job);
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

  /** The page in front. */
  get front(): Page {
    return pageNamed(this.page);
  }

  /** The document that the page in front shows. */
  get shownDocument(): DocumentState | null {
    return this.front.documents ? this.documents.active : null;
  }

  /** The sounds that A, B and matched loudness refer to. */
  get sides(): Sides {
    return this.front.sides?.(this) ?? documentSides(this);
  }

  showPage(to: PageName): void {
    const from = this.page;
    this.page = to;
    void this.front.load?.(this);
    if (to === from) return;
    for (const page of PAGES) void page.turned?.(this, to, from);
    this.settings.panesChanged();
  }

  /** Ends the program. Documents, history and settings are kept. */
  async quit(): Promise<void> {
    await this.notices.attempt(async () => {
      await this.rest();
      await this.backend.call('workspace.quit', {});
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
    this.copiedSome = await this.backend.call('editor.copied_sound', {});
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
}

const KEY = Symbol('app');
export const provideApp = (app: App): App => setContext(KEY, app);
export const useApp = (): App => getContext<App>(KEY);
