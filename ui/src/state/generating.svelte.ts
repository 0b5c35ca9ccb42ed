// The signal that the dialog generates; the choices are kept for the next time.

import { GENERATE, type GeneratorSettings, type Signal } from '../bindings';
import type { App } from './app.svelte';
import type { DocumentState } from './document.svelte';

export type SignalKind = Signal['kind'];
/** The destination of the signal: a new document, or the active one. */
export type GenerateTarget = 'new' | 'here';

export const SIGNALS: SignalKind[] = ['sine', 'square', 'saw', 'triangle', 'sweep', 'white', 'pink', 'brown', 'impulses', 'silence', 'dtmf', 'clicks'];
export const RATES = [8000, 16_000, 22_050, 44_100, 48_000, 88_200, 96_000, 192_000];
/** Signals with a limited number of harmonics, which sets their lowest frequency. */
const RICH: SignalKind[] = ['square', 'saw', 'triangle'];
const DIGITS = /^[0-9*#A-D]+$/;

export class Generating {
  kind: SignalKind = $state('sine');
  target: GenerateTarget = $state('new');
  frequency_hz = $state(440);
  from_hz = $state(20);
  to_hz = $state(20_000);
  scale: 'log' | 'linear' = $state('log');
  distribution: 'uniform' | 'gaussian' = $state('uniform');
  interval_s = $state(1);
  digits = $state('0123456789*#ABCD');
  tone_s = $state(0.1);
  pause_s = $state(0.1);
  bpm = $state(120);
  beats = $state(4);
  seed = $state(1);
  peak_db = $state(-6);
  rms_db = $state(-20);
  length_s = $state(10);
  newRate = $state(48_000);
  newChannels = $state(1);
  busy = $state(false);

  constructor(private readonly app: App) {}

  /** The document that gets the signal; null for a new one. */
  readonly document: DocumentState | null = $derived.by(() => (this.target === 'here' ? this.app.documents.active : null));
  readonly rate: number = $derived(this.document?.data.rate ?? this.newRate);
  readonly channels: number = $derived(this.document?.data.channels ?? this.newChannels);
  readonly isNoise: boolean = $derived(this.kind === 'white' || this.kind === 'pink' || this.kind === 'brown');
  /** The frequencies that the signal may have at this rate, half of which it stays below. */
  readonly span_hz: { min: number; max: number } = $derived.by(() => {
    const nyquist = this.rate / 2;
    return { min: RICH.includes(this.kind) ? Math.ceil((1000 * nyquist) / GENERATE.harmonics) / 1000 : 0.001, max: nyquist - 0.001 };
  });
  readonly written: string = $derived(this.digits.toUpperCase().replaceAll(/\s/g, ''));
  readonly digitsFit: boolean = $derived(DIGITS.test(this.written) && this.written.length <= GENERATE.digits);
  readonly frames: number = $derived.by(() => {
    const { tone, pause } = this.inFrames();
    if (this.kind === 'dtmf') return this.written.length * tone + Math.max(0, this.written.length - 1) * pause;
    return Math.max(1, Math.round(this.length_s * this.rate));
  });

  /** Starts a dialog; if a selection is to be replaced, with its length. */
  begin(): void {
    const { active } = this.app.documents;
    if (!active) this.target = 'new';
    else if (active.selection) this.length_s = (active.selection.end - active.selection.start) / active.data.rate;
  }

  settings(): GeneratorSettings {
    const { rate, channels, frames, seed } = this;
    return { signal: this.signal(), format: { rate, channels }, frames, level_db: this.kind === 'silence' ? 0 : this.isNoise ? this.rms_db : this.peak_db, seed };
  }

  /** Generates it. Returns whether it is there. */
  async run(): Promise<boolean> {
    const { app, document } = this;
    this.busy = true;
    const settings = this.settings();
    const done = await app.notices.attempt(async () => {
      if (document) await document.insertGenerated(settings);
      else app.documents.take(await app.backend.call('editor.generate', { settings }));
      return true;
    });
    this.busy = false;
    return done === true;
  }

  async stop(): Promise<void> {
    await this.app.backend.call('editor.cancel_generating', {}).catch(() => undefined);
  }

  private inFrames(): { tone: number; pause: number; interval: number } {
    const frames = (seconds: number): number => Math.round(seconds * this.rate);
    return { tone: frames(this.tone_s), pause: frames(this.pause_s), interval: Math.max(1, this.interval_s * this.rate) };
  }

  private signal(): Signal {
    const { kind } = this;
    const hz = (value: number): number => Math.min(this.span_hz.max, Math.max(this.span_hz.min, value));
    const { tone, pause, interval } = this.inFrames();
    switch (kind) {
      case 'sine':
      case 'square':
      case 'saw':
      case 'triangle':
        return { kind, frequency_hz: hz(this.frequency_hz) };
      case 'sweep':
        return { kind, from_hz: hz(this.from_hz), to_hz: hz(this.to_hz), scale: this.scale };
      case 'white':
        return { kind, distribution: this.distribution };
      case 'impulses':
        return { kind, interval_frames: interval };
      case 'dtmf':
        return { kind, digits: this.written, tone_frames: tone, pause_frames: pause };
      case 'clicks':
        return { kind, bpm: this.bpm, beats: this.beats };
      default:
        return { kind };
    }
  }
}
