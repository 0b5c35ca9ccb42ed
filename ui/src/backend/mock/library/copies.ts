// Groups of copies: every so many tracks stand for a recording of which the next ones are copies.

import type { Decision, DuplicateGroup, DuplicateItem, DuplicatesView, OriginView, TrackItem } from '../../../bindings';
import { mixed, share } from './noise';

const ONE_IN = 40;

type Kind = 'mp3' | 'exact' | 'fast' | 'cut' | 'upsampled';
const KINDS: Kind[] = ['mp3', 'exact', 'fast', 'cut', 'upsampled'];

export function duplicatesOf(items: readonly TrackItem[], decisions: ReadonlyMap<string, Decision>): DuplicatesView {
  const there = items.filter((item) => item.state === 'done');
  const groups: DuplicateGroup[] = [];
  for (let at = 0; at + 5 < there.length; at += ONE_IN) {
    const best = there[at];
    if (!best) continue;
    const copies = there.slice(at + 1, at + 2 + (mixed(best.id, 70) % 4));
    const members = [first(best), ...copies.map((track, index) => copy(best, track, KINDS[(mixed(best.id, 71) + index) % KINDS.length] ?? 'mp3'))];
    const exact = members.slice(1).some((item) => item.exact);
    const decided = members.map((item, index) => ({ ...item, exact: index === 0 ? exact : item.exact, decision: index === 0 ? null : (decisions.get(pairKey(best.id, item.track.id)) ?? null) })).filter((item) => item.decision !== 'different');
    if (decided.length > 1) groups.push({ members: decided, spare_bytes: decided.slice(1).reduce((sum, item) => sum + item.track.bytes, 0) });
  }
  return { groups, tracks: there.length, compared: groups.length * 7 + Math.round(there.length * 1.4), outdated: false };
}

export const pairKey = (first: number, second: number): string => [first, second].sort((a, b) => a - b).join();

function first(track: TrackItem): DuplicateItem {
  const seconds = track.duration_s ?? 60;
  return { track: { ...track, format: 'FLAC', codec: 'FLAC', bits: 16, bit_rate: 912_000, bandwidth_hz: 21_400, bytes: Math.round(seconds * 114_000), name: named(track, 'flac') }, score: 1, overlap_s: seconds, offset_s: 0, speed: 1, exact: false, best: true, reasons: ['lossless', 'widest bandwidth, 21.4 kHz'], origin: origin('genuine', 0.94, ['noise reaches up to 21.4 kHz']), decision: null };
}

const named = (track: TrackItem, extension: string): string => track.name.replace(/\.\w+$/, `.${extension}`);
const origin = (kind: OriginView['origin'], confidence: number, reasons: string[]): OriginView => ({ origin: kind, confidence, reasons });

function copy(best: TrackItem, track: TrackItem, kind: Kind): DuplicateItem {
  const whole = best.duration_s ?? 60;
  const same: TrackItem = { ...track, title: best.title, artist: best.artist, album: kind === 'exact' ? best.album : track.album, duration_s: whole };
  const made = (change: Partial<TrackItem>, rest: Partial<DuplicateItem>): DuplicateItem => ({
    track: { ...same, ...change },
    score: 0.99,
    overlap_s: whole,
    offset_s: 0,
    speed: 1,
    exact: false,
    best: false,
    reasons: [],
    origin: null,
    decision: null,
    ...rest,
  });
  const lossy = (kbit: number): Partial<TrackItem> => ({ format: 'MP3', codec: 'MP3', bits: null, bit_rate: kbit * 1000, bandwidth_hz: 16_000, bytes: kbit * 125 * whole, name: named(best, 'mp3') });
  switch (kind) {
    case 'mp3':
      return made(lossy(128), { score: 0.97, offset_s: 0.025, reasons: ['lossy, 128 kbit/s', 'bandwidth 16.0 kHz'], origin: origin('likely_transcoded', 0.91, ['ends at 16.0 kHz as MP3 at 128 kbit/s does']) });
    case 'exact':
      return made({ format: 'FLAC', codec: 'FLAC', bits: 16, bit_rate: 912_000, bandwidth_hz: 21_400, bytes: whole * 114_000, name: named(best, 'flac') }, { score: 1, exact: true, reasons: ['the same audio', 'added later'], origin: origin('genuine', 0.94, ['noise reaches up to 21.4 kHz']) });
    case 'fast':
      return made({ ...lossy(256), bandwidth_hz: 18_900, duration_s: whole / 1.02 }, { score: 0.64, speed: 1.02, overlap_s: whole * 0.98, reasons: ['lossy, 256 kbit/s', '2.0 % faster'], origin: origin('cannot_tell', 0.4, ['too little above 16 kHz to tell']) });
    case 'cut': {
      const cut = Math.round(4 + 20 * share(track.id, 72));
      return made({ ...lossy(192), duration_s: whole - 2 * cut }, { score: 0.93, offset_s: -cut, overlap_s: whole - 2 * cut, reasons: ['lossy, 192 kbit/s', `${2 * cut} s shorter`] });
    }
    case 'upsampled':
      return made({ format: 'FLAC', codec: 'FLAC', bits: 24, rate_hz: 96_000, bandwidth_hz: 22_000, bit_rate: 2_400_000, bytes: whole * 300_000, duration_s: whole + 2.4, name: named(best, 'flac') }, { score: 0.96, offset_s: 2.4, reasons: ['lossless', 'bandwidth 22.0 kHz of 48 kHz: nothing above'], origin: origin('likely_upsampled', 0.88, ['ends at 22.05 kHz, as 44.1 kHz does']) });
  }
}
