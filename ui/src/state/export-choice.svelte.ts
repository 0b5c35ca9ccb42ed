// The format choices of an export: those of each format, and the ones to send.

import type { Dither, ExportBits, ExportFormat, ExportSettings } from '../bindings';

export class ExportChoice {
  format: ExportFormat = $state('wav');
  bits: ExportBits = $state('24');
  /** Whether each file keeps its sample format; only if many are written. */
  ownBits = $state(false);
  dither: Dither = $state('tpdf');
  rate: number | null = $state(null);
  tail = $state(false);
  markers = $state(true);
  lossy: ExportSettings['lossy'] = $state()!;
  loudness: number | null = $state(null);
  /** The output gain of this export in dB. */
  gainDb = $state(0);
  /** Why this system cannot write the format, with what to do. */
  problem: string | null = $state(null);

  constructor(
    settings: ExportSettings,
    private readonly formats: () => ExportFormat[],
    ownBits = false,
  ) {
    ({ format: this.format, bits: this.bits, dither: this.dither, rate: this.rate, tail: this.tail, markers: this.markers } = settings);
    this.lossy = { ...settings.lossy };
    this.loudness = settings.loudness?.lufs ?? null;
    this.gainDb = settings.gain_db;
    this.ownBits = ownBits;
  }

  // A stored choice may be of a version that had more.
  readonly usedFormat: ExportFormat = $derived.by(() => (this.formats().includes(this.format) ? this.format : 'wav'));
  readonly isLossy = $derived(this.usedFormat === 'vorbis' || this.usedFormat === 'opus' || this.usedFormat === 'mp3');
  readonly bitChoices: ExportBits[] = $derived(this.usedFormat === 'flac' ? ['16', '24'] : ['16', '24', '32', 'f32']);
  readonly usedBits: ExportBits = $derived(this.bitChoices.includes(this.bits) ? this.bits : '24');
  readonly dithered = $derived(!this.isLossy && (this.ownBits || this.usedBits === '16' || this.usedBits === '24'));
  readonly rates: number[] = $derived(this.usedFormat === 'mp3' ? [32_000, 44_100, 48_000] : [44_100, 48_000, 88_200, 96_000, 176_400, 192_000]);
  // A rate that the format does not support is not sent.
  readonly usedRate: number | null = $derived(this.usedFormat !== 'opus' && this.rate !== null && this.rates.includes(this.rate) ? this.rate : null);

  /** The settings that are sent; the range is not part of them. `without` is the rate that need not be converted to. */
  settings(without: number | null = null): ExportSettings {
    return {
      format: this.usedFormat,
      bits: this.usedBits,
      dither: this.dithered ? this.dither : 'none',
      range: null,
      rate: this.usedRate === without ? null : this.usedRate,
      tail: this.tail,
      lossy: { ...this.lossy },
      loudness: this.loudness === null ? null : { lufs: this.loudness, true_peak_db: -1 },
      gain_db: this.gainDb,
      markers: this.markers,
    };
  }
}
