// The settings: changed here at once, then stored by the core.

import type { Backend } from '../backend';
import type { AnalyserSettings, LibrarySettings, LoudnessSettings, Settings, SpectrogramAnalysis, SpectrogramDisplay } from '../bindings';
import { settled } from '../lib/coalesce';
import { rebased } from '../lib/rebased';
import type { Notices } from './notices.svelte';

export class SettingsStore {
  now: Settings = $state.raw()!;
  /** The settings as the core told them last. */
  private stored: Settings | null = null;
  private writing: Promise<unknown> = Promise.resolve();
  private readonly storeSoon: (args: null) => void;

  constructor(
    private readonly backend: Backend,
    private readonly notices: Notices,
    private readonly panes: () => Record<string, number>,
  ) {
    this.storeSoon = settled(400, () => void this.save({}));
  }

  /** Takes the settings that the core told. */
  take(settings: Settings): void {
    this.now = this.stored = settings;
  }

  async save(change: Partial<Settings>): Promise<void> {
    const panes = { ...this.now.panes, ...this.panes() };
    this.now = { ...this.now, panes, ...change };
    await this.notices.attempt(() =>
      this.inTurn(async () => {
        const sent = this.now;
        this.stored = await this.backend.call('settings.set', { settings: sent });
        // A slider that is still being dragged is ahead of the answer.
        this.now = rebased(this.now, sent, this.stored);
      }),
    );
  }

  /** Changes settings at once; they are stored when they have come to rest. */
  change(change: Partial<Settings>): void {
    this.now = { ...this.now, ...change };
    this.storeSoon(null);
  }

  /** Stores what has not been stored yet. */
  flush(): Promise<void> {
    return this.save({});
  }

  /** Stores the sizes of the panes when they have come to rest. */
  panesChanged(): void {
    this.storeSoon(null);
  }

  /** Runs a command that writes settings itself, and takes what it wrote; what was changed here meanwhile stays. */
  whileWritten<T>(call: () => Promise<T>): Promise<T> {
    return this.inTurn(async () => {
      try {
        return await call();
      } finally {
        const kept = await this.backend.call('settings.view', {});
        this.now = rebased(this.now, this.stored ?? kept, kept);
        this.stored = kept;
      }
    });
  }

  /** Changes what spectrograms are computed with; their tiles are computed again. */
  setAnalysis(change: Partial<SpectrogramAnalysis>): void {
    const { spectrogram } = this.now;
    this.change({ spectrogram: { ...spectrogram, analysis: { ...spectrogram.analysis, ...change } } });
  }

  /** Changes how spectrograms are shown. */
  setDisplay(change: Partial<SpectrogramDisplay>): void {
    const { spectrogram } = this.now;
    this.change({ spectrogram: { ...spectrogram, display: { ...spectrogram.display, ...change } } });
  }

  setAnalyser(change: Partial<AnalyserSettings>): void {
    this.change({ analyser: { ...this.now.analyser, ...change } });
  }

  setLoudness(change: Partial<LoudnessSettings>): void {
    this.change({ loudness: { ...this.now.loudness, ...change } });
  }

  setLibrary(change: Partial<LibrarySettings>): void {
    this.change({ library: { ...this.now.library, ...change } });
  }

  /** Writes run one after the other, so that none brings back what another has just replaced. */
  private inTurn<T>(write: () => Promise<T>): Promise<T> {
    const done = this.writing.then(write);
    this.writing = done.catch(() => undefined);
    return done;
  }
}
