// The interface's state: documents, playback, jobs, devices, settings, and what is open on the screen.

import { getContext, setContext } from 'svelte';
import type { Backend } from '../backend';
import type {
  AnalyserSettings,
  DevicesView,
  Edit,
  EffectView,
  Event,
  ExportFormat,
  Failure,
  JobView,
  LibrarySettings,
  LoudnessSettings,
  NodeId,
  NoticeLevel,
  Opened,
  PresetView,
  RecentFile,
  Settings,
  Side,
  SpectrogramAnalysis,
  SpectrogramDisplay,
  SpectrogramPreset,
  Startup,
  WaveformView,
} from '../bindings';
import { walk } from '../lib/chain';
import { settled } from '../lib/coalesce';
import { rebased } from '../lib/rebased';
import { text } from '../text/catalogue';
import { Batch } from './batch.svelte';
import { DocumentState } from './document.svelte';
import { Library } from './library.svelte';
import { Monitor } from './monitor.svelte';
import { Player } from './player.svelte';
import { DeviceVerification } from './verification.svelte';

export type DialogName = 'add-effect' | 'export' | 'settings' | 'presets' | 'shortcuts' | 'palette' | 'effects' | 'picture' | 'describe' | 'about';

/** The pages, which share the bars at the top and the bottom. */
export type PageName = 'editor' | 'library' | 'batch';

export type RepairName = 'spectral_gain' | 'spectral_isolate' | 'spectral_heal';

export interface Toast {
  id: number;
  level: NoticeLevel;
  message: string;
}

const TOAST_MS: Record<NoticeLevel, number | null> = { info: 6000, warning: 14_000, error: null };

export class App {
  ready = $state(false);
  startFailure: string | null = $state(null);
  version = $state('');
  documents: DocumentState[] = $state.raw([]);
  activeId: number | null = $state(null);
  effects: EffectView[] = $state.raw([]);
  recent: RecentFile[] = $state.raw([]);
  exportFormats: ExportFormat[] = $state.raw(['wav', 'flac']);
  presets: PresetView[] = $state.raw([]);
  jobs: JobView[] = $state.raw([]);
  devices: DevicesView | null = $state.raw(null);
  settings: Settings = $state.raw()!;
  toasts: Toast[] = $state.raw([]);
  page: PageName = $state('editor');
  dialog: DialogName | null = $state(null);
  dropHover = $state(false);
  follow = $state(true);
  hoverFrame: number | null = $state(null);
  rackOpen = $state(true);
  rackWidth = $state(340);
  devicesOpen = $state(false);
  spectrogramOpen = $state(false);
  batchWidth = $state(392);
  analyserHeight = $state(236);
  loudnessHeight = $state(132);
  analyserSettingsOpen = $state(false);
  /** Whether lines stand at the multiples of the pointer's frequency. */
  harmonics = $state(false);
  spectrogramPresets: SpectrogramPreset[] = $state.raw([]);
  /** The node that the presets dialog would store; none is the whole chain. */
  presetNode: number | null = $state(null);
  /** What the effects reference shows; none is the first. */
  shownEffect: string | null = $state(null);
  /** The job whose export dialog is open. */
  exportJob: number | null = $state(null);

  readonly active: DocumentState | null = $derived(this.documents.find((each) => each.id === this.activeId) ?? null);
  readonly effectByName: Map<string, EffectView> = $derived(new Map(this.effects.map((each) => [each.name, each])));
  /** In the order of the list: those of one purpose together. */
  readonly effectsByPurpose: EffectView[] = $derived(Object.keys(text.effects.purposes).flatMap((purpose) => this.effects.filter((each) => each.purpose === purpose)));
  readonly runningJobs: JobView[] = $derived(this.jobs.filter((job) => job.state === 'running'));

  readonly player: Player;
  readonly monitor: Monitor;
  readonly library: Library;
  readonly batch: Batch;
  readonly verification: DeviceVerification;
  private toastCount = 0;
  /** The settings as the core told them last. */
  private stored: Settings | null = null;
  private writing: Promise<unknown> = Promise.resolve();
  private readonly storeSettings: (args: null) => void;

  constructor(readonly backend: Backend) {
    this.player = new Player(backend, (reason) => this.fail(reason));
    this.monitor = new Monitor(backend, () => this.settings.analyser, () => this.player.playing, (reason) => this.fail(reason));
    this.library = new Library(this);
    this.batch = new Batch(this);
    this.verification = new DeviceVerification(this);
    this.storeSettings = settled(400, () => void this.saveSettings({}));
  }

  async start(): Promise<void> {
    try {
      await this.backend.listen((event) => this.take(event));
      await this.backend.onDropHover((hovering) => (this.dropHover = hovering));
      const startup = await this.backend.call('startup', {});
      this.begin(startup);
      this.devices = await this.backend.call('devices', {});
      this.presets = await this.backend.call('presets', {});
      this.jobs = await this.backend.call('jobs', {});
      this.spectrogramPresets = await this.backend.call('spectrogram_presets', {});
    } catch (reason) {
      if (this.ready) this.fail(reason);
      else this.startFailure = failureMessage(reason);
    }
  }

  private begin(startup: Startup): void {
    this.version = startup.version;
    this.settings = this.stored = startup.settings;
    this.effects = startup.effects;
    this.recent = startup.recent;
    this.exportFormats = startup.export_formats;
    this.rackWidth = startup.settings.panes['rack'] ?? 340;
    this.batchWidth = startup.settings.panes['batch'] ?? this.batchWidth;
    this.rackOpen = startup.settings.panes['rack_open'] !== 0;
    this.analyserHeight = startup.settings.panes['analyser'] ?? this.analyserHeight;
    this.loudnessHeight = startup.settings.panes['loudness'] ?? this.loudnessHeight;
    this.library.takePanes(startup.settings.panes);
    this.documents = startup.documents.map((data) => this.made(data));
    this.activeId = startup.active ?? this.documents[0]?.id ?? null;
    for (const notice of startup.notices) this.tell(notice.level, notice.message);
    this.ready = true;
    if (startup.settings.panes['library'] === 1) this.showPage('library');
  }

  /** The last news of each waveform. */
  private readonly waveforms = new Map<number, WaveformView>();
  /** Messages about files that were not opened. */
  private readonly refusals = new Set<string>();

  private made(data: DocumentState['data']): DocumentState {
    // Of a short recording the news may be here before the recording itself.
    const waveform = this.waveforms.get(data.id) ?? data.waveform;
    return new DocumentState(this.backend, { ...data, waveform }, (reason) => this.fail(reason));
  }

  private take(event: Event): void {
    switch (event.kind) {
      case 'opened':
        return this.takeOpened(event.opened);
      case 'document':
        return this.documents.find((each) => each.id === event.document.id)?.adopt(event.document);
      case 'peaks':
        this.waveforms.set(event.document, event.waveform);
        return this.documents.find((each) => each.id === event.document)?.takeWaveform(event.waveform);
      case 'transport':
        return this.player.take(event.transport, event.meters);
      case 'loudness':
        return this.documents.find((each) => each.id === event.document)?.loudness.take(event.side, event.loudness);
      case 'job':
        return this.takeJob(event.job);
      case 'devices': {
        const fellBack = event.devices.preview.fallback && !this.devices?.preview.fallback;
        this.devices = event.devices;
        this.active?.refreshReport();
        if (fellBack) this.tell('warning', text.device.fallback(event.devices.preview));
        return;
      }
      case 'spectrogram_device': {
        const fellBack = event.device.fallback && !this.devices?.spectrogram?.fallback;
        if (this.devices) this.devices = { ...this.devices, spectrogram: event.device };
        if (fellBack && !this.devices?.preview.fallback) this.tell('warning', text.device.spectrogramFallback(event.device));
        return;
      }
      case 'batch':
        this.dropHover = false;
        return this.batch.take(event.batch);
      case 'batch_items':
        return this.batch.takeItems(event.items, event.status);
      case 'scan':
        return this.library.takeScan(event.scan, event.counts);
      case 'library_changed':
        return this.library.takeChange(event.library);
      case 'notice':
        return this.tell(event.notice.level, event.notice.message);
    }
  }

  showPage(page: PageName): void {
    const other = page !== this.page;
    this.page = page;
    if (page === 'library') void this.library.load();
    if (page === 'batch') void this.batch.load();
    // What is dropped belongs to the page that is seen.
    if (other) void this.attempt(() => this.backend.call('take_batch_drops', { on: page === 'batch' }));
    if (other) this.panesChanged();
  }

  /** Opens the reference, at an effect if one is named. */
  showEffect(name: string | null): void {
    if (name !== null) this.shownEffect = name;
    this.dialog = 'effects';
  }

  takeOpened(opened: Opened): void {
    this.dropHover = false;
    for (const data of opened.documents) {
      const known = this.documents.find((each) => each.id === data.id);
      if (known) known.adopt(data);
      else this.documents = [...this.documents, this.made(data)];
    }
    const last = opened.documents.at(-1);
    if (last) this.activate(last.id);
    if (last) this.showPage('editor');
    // What could not be opened before matters no more once something is.
    if (opened.documents.length > 0) this.toasts = this.toasts.filter((toast) => !this.refusals.has(toast.message));
    for (const { name, failure } of opened.failures) {
      const message = text.opening.failed(name, failure.message);
      this.refusals.add(message);
      this.tell('error', message);
    }
    void this.attempt(async () => (this.recent = await this.backend.call('recent', {})));
  }

  private takeJob(job: JobView): void {
    this.library.questions.takeJob(job);
    const known = this.jobs.find((each) => each.id === job.id);
    this.jobs = known ? this.jobs.map((each) => (each.id === job.id ? job : each)) : [...this.jobs, job];
    if (job.state === 'running' || known?.state === job.state || this.exportJob === job.id) return;
    if (job.purpose === 'verify' && job.state === 'done') void this.verification.load();
    if (job.state === 'done' && job.result) this.tell('info', text.exporting.doneToast(job.result));
    if (job.state === 'failed') this.tell('error', job.failure?.message ?? job.title);
  }

  cancel(job: JobView): Promise<unknown> {
    return this.attempt(() => this.backend.call('cancel_job', { job: job.id }));
  }

  async open(how: 'dialog' | 'demo' | { recent: number }): Promise<void> {
    await this.attempt(async () => {
      if (how === 'dialog') this.takeOpened(await this.backend.call('open_dialog', {}));
      else if (how === 'demo') this.takeOpened(await this.backend.call('open_demo', {}));
      else this.takeOpened(await this.backend.call('open_recent', { id: how.recent }));
    });
  }

  activate(id: number): void {
    if (this.activeId === id) return;
    this.activeId = id;
    void this.attempt(() => this.backend.call('activate_document', { document: id }));
  }

  async closeDocument(id: number): Promise<void> {
    const index = this.documents.findIndex((each) => each.id === id);
    const closing = this.documents[index];
    if (!closing) return;
    await this.attempt(async () => {
      if (this.player.transport?.document === id) await this.player.stop();
      closing.close();
      await this.backend.call('close_document', { document: id });
      this.documents = this.documents.filter((each) => each.id !== id);
      this.waveforms.delete(id);
      const next = this.documents[Math.min(index, this.documents.length - 1)];
      if (this.activeId === id) this.activeId = next?.id ?? null;
      if (next) await this.backend.call('activate_document', { document: next.id });
    });
  }

  /** Adds an effect behind the selected one and brings it to hand. */
  async addEffect(effect: string): Promise<void> {
    const document = this.active;
    if (!document) return;
    const added = await this.add(document, { kind: 'add_effect', effect, after: document.selectedNode });
    if (added === null) return;
    document.focusNode = added;
    const uses = this.settings.effect_uses;
    this.settings = { ...this.settings, effect_uses: { ...uses, [effect]: (uses[effect] ?? 0) + 1 } };
    this.storeSettings(null);
  }

  /** Edits the selected part of the recording; the lanes keep the keyboard, for the next part. */
  async repair(effect: RepairName): Promise<void> {
    const document = this.active;
    if (!document?.selection) return;
    await this.add(document, { kind: 'add_repair', effect, range: document.selection, band: document.band });
  }

  /** Makes an edit that adds a node, and selects that. */
  private async add(document: DocumentState, edit: Edit): Promise<NodeId | null> {
    const before = new Set([...walk(document.chain.nodes)].map((node) => node.id));
    document.edit(edit);
    this.rackOpen = true;
    await document.edits.idle();
    const added = [...walk(document.chain.nodes)].find((node) => !before.has(node.id));
    if (added) document.selectedNode = added.id;
    return added?.id ?? null;
  }

  async saveSettings(change: Partial<Settings>): Promise<void> {
    const panes = { ...this.settings.panes, rack: this.rackWidth, rack_open: this.rackOpen ? 1 : 0, analyser: this.analyserHeight, loudness: this.loudnessHeight, batch: this.batchWidth, ...this.library.panes(), library: this.page === 'library' ? 1 : 0 };
    this.settings = { ...this.settings, panes, ...change };
    await this.attempt(() =>
      this.inTurn(async () => {
        const sent = this.settings;
        this.stored = await this.backend.call('set_settings', { settings: sent });
        // A slider that is still being dragged is ahead of the answer.
        this.settings = rebased(this.settings, sent, this.stored);
      }),
    );
  }

  /** Runs a command that writes settings itself, and takes over what it wrote; what was changed here meanwhile stays. */
  writesSettings<T>(call: () => Promise<T>): Promise<T> {
    return this.inTurn(async () => {
      try {
        return await call();
      } finally {
        const kept = await this.backend.call('settings', {});
        this.settings = rebased(this.settings, this.stored ?? kept, kept);
        this.stored = kept;
      }
    });
  }

  /** Whoever writes settings does so one after the other, so that none brings back what another one has just replaced. */
  private inTurn<T>(write: () => Promise<T>): Promise<T> {
    const done = this.writing.then(write);
    this.writing = done.catch(() => undefined);
    return done;
  }

  /** Whether A, B and loudness are about what the library's page compares: not while something else is heard. */
  get comparing(): boolean {
    const { audition } = this.library.questions;
    return this.page === 'library' && audition.pair?.b != null && (audition.playing || !this.player.playing);
  }

  /** The side that is heard, or would be. */
  get side(): Side {
    if (!this.comparing) return this.player.side;
    return this.library.questions.audition.side === 'a' ? 'original' : 'processed';
  }

  setSide(side: Side): Promise<void> {
    return this.comparing ? this.library.questions.audition.hear(side === 'original' ? 'a' : 'b') : this.player.setSide(side);
  }

  /** Whether both sides are brought to the same loudness; auditions have a setting of their own. */
  get matched(): boolean {
    return this.comparing ? this.settings.library.matched : this.player.matched;
  }

  async setMatched(matched: boolean): Promise<void> {
    await (this.comparing ? this.matchAuditions(matched) : this.player.setMatched(matched));
  }

  async matchAuditions(matched: boolean): Promise<void> {
    this.setLibrary({ matched });
    // The settings are stored in a moment; what sounds changes now.
    if (this.player.audible) await this.player.setMatched(matched);
  }

  /** Changes what spectrograms are computed with; the tiles are made anew. */
  setAnalysis(change: Partial<SpectrogramAnalysis>): void {
    const { spectrogram } = this.settings;
    const analysis = { ...spectrogram.analysis, ...change };
    if (analysis.scale !== spectrogram.analysis.scale) for (const each of this.documents) each.spectrogram.rescale(spectrogram.analysis.scale, analysis.scale, each.data.rate);
    this.settings = { ...this.settings, spectrogram: { ...spectrogram, analysis } };
    this.storeSettings(null);
  }

  /** Changes how spectrograms are shown, at once; the settings are stored when it has come to rest. */
  setDisplay(change: Partial<SpectrogramDisplay>): void {
    const { spectrogram } = this.settings;
    this.settings = { ...this.settings, spectrogram: { ...spectrogram, display: { ...spectrogram.display, ...change } } };
    this.storeSettings(null);
  }

  /** Changes the analyser at once; the settings are stored when it has come to rest. */
  setAnalyser(change: Partial<AnalyserSettings>): void {
    this.settings = { ...this.settings, analyser: { ...this.settings.analyser, ...change } };
    this.storeSettings(null);
  }

  setLoudness(change: Partial<LoudnessSettings>): void {
    this.settings = { ...this.settings, loudness: { ...this.settings.loudness, ...change } };
    this.storeSettings(null);
  }

  setLibrary(change: Partial<LibrarySettings>): void {
    this.settings = { ...this.settings, library: { ...this.settings.library, ...change } };
    this.storeSettings(null);
  }

  panesChanged(): void {
    this.storeSettings(null);
  }

  /** Runs something the user asked for and tells why it failed if it does. */
  async attempt<T>(action: () => Promise<T>): Promise<T | null> {
    try {
      return await action();
    } catch (reason) {
      this.fail(reason);
      return null;
    }
  }

  fail(reason: unknown): void {
    if ((reason as Partial<Failure> | null)?.code === 'cancelled') return;
    this.tell('error', failureMessage(reason));
  }

  tell(level: NoticeLevel, message: string): void {
    if (this.toasts.some((toast) => toast.message === message)) return;
    const id = ++this.toastCount;
    this.toasts = [...this.toasts, { id, level, message }].slice(-4);
    const ms = TOAST_MS[level];
    if (ms !== null) setTimeout(() => this.dismiss(id), ms);
  }

  dismiss(id: number): void {
    this.toasts = this.toasts.filter((toast) => toast.id !== id);
  }
}

export function failureMessage(reason: unknown): string {
  const message = (reason as Partial<Failure> | null)?.message;
  return typeof message === 'string' ? message : String(reason);
}

const KEY = Symbol('app');
export const provideApp = (app: App): App => setContext(KEY, app);
export const useApp = (): App => getContext<App>(KEY);
