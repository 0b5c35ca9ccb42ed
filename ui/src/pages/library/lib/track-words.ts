// A track as people name and describe it.

import { fixed } from '../../../lib/decimal';
import type { TrackItem } from '../../../bindings';
import { text } from '../../../text/catalogue';
import { compact } from '../../../lib/quantity';
import type { CategoryColumn } from './categories';

/** Its title, or its file's name where it has none. */
export const titleOf = (track: TrackItem): string => track.title ?? track.name;

/** "Title, artist", and what it is coloured by on the map: colour says nothing that words do not. */
export function titleWith(track: TrackItem, column: CategoryColumn | null): string {
  const title = track.artist === null ? titleOf(track) : text.questions.byArtist(titleOf(track), track.artist);
  const value = column === null ? null : track[column];
  return value === null ? title : text.questions.map.ofKind(title, value);
}

/** Bits of a sample, "24 bit"; nothing where the codec's name has them already, as "PCM 24 bit" has. */
export function bitsOf({ bits, codec }: TrackItem): string | null {
  const words = bits === null ? null : `${bits} bit`;
  return words !== null && codec?.includes(words) ? null : words;
}

/** Container and codec, each once: "Matroska, Opus", "FLAC 16 bit". */
export function codingOf({ format, codec }: TrackItem): string | null {
  if (format === null || codec === null) return format ?? codec;
  return codec.startsWith(format) ? codec : `${format}, ${codec}`;
}

/** "FLAC 16 bit, 44.1 kHz". */
export function formatOf(track: TrackItem): string {
  const parts = [track.codec ?? track.format, bitsOf(track), track.rate_hz === null ? null : `${compact(track.rate_hz / 1000, 4)} kHz`];
  return parts.filter((part) => part !== null).join(', ');
}

/** "912 kbit/s"; a dash where it is not known. */
export const bitRateOf = (track: TrackItem): string => (track.bit_rate === null ? '—' : `${Math.round(track.bit_rate / 1000)} kbit/s`);

/** "21.4 kHz"; a dash where it is not known. */
export const bandwidthOf = (track: TrackItem): string => (track.bandwidth_hz === null ? '—' : `${fixed(track.bandwidth_hz / 1000, 1)} kHz`);

const signed = (value: number, digits: number): string => `${value < 0 ? '−' : '+'}${fixed(Math.abs(value), digits)}`;

/** How much later something begins: "+0.025 s"; "0 s" for nothing worth a figure. */
export function formatOffset(seconds: number): string {
  if (Math.abs(seconds) < 0.0005) return '0 s';
  return `${signed(seconds, Math.abs(seconds) < 10 ? 3 : 1)} s`;
}

/** How much faster: "+2.0 %"; nothing where it is as fast. */
export function formatFaster(speed: number): string {
  const tenths = Math.round((speed - 1) * 1000) / 10;
  return tenths === 0 ? '' : `${signed(tenths, 1)} %`;
}

/** "+0.36 semitones"; nothing where it is as high. */
export function formatPitch(semitones: number): string {
  return Math.abs(semitones) < 0.05 ? '' : `${signed(semitones, 2)}`;
}
