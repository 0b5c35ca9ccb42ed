// Synthetic tracks: the same for the same number in every run.

import type { LibraryTrackState, TrackItem } from '../../../bindings';
import { DIMENSIONS } from './dimensions';
import { bell, mixed, pick, share } from './noise';

export const ROOTS = ['/home/user/Music', '/media/archive/Vinyl transfers'];
const FIRST = ['Northern', 'Paper', 'Velvet', 'Iron', 'Hollow', 'Amber', 'Silent', 'Distant', 'Broken', 'Golden', 'Little', 'Electric', 'Salt', 'Winter'];
const SECOND = ['Harbour', 'Lanterns', 'Meridian', 'Orchard', 'Radio', 'Choir', 'Machine', 'Rivers', 'Parade', 'Signal', 'Cathedral', 'Weather', 'Ensemble'];
const WORDS = ['Blue', 'Night', 'Glass', 'Wire', 'Field', 'Ocean', 'Letters', 'Home', 'Fire', 'Shadow', 'Line', 'Summer', 'Dust', 'Mirror', 'Tide', 'Stone', 'Echo', 'Ground', 'Étude', 'Waltz'];
const GENRES = ['Ambient', 'Jazz', 'Rock', 'House', 'Folk', 'Classical', 'Hip hop', 'Soundtrack'];
const KEYS = ['C', 'Am', 'G', 'Em', 'D', 'Bm', 'F', 'Dm', 'A', 'F#m', 'Eb', 'Cm', 'B', 'G#m'];
const KINDS: [format: string, codec: string, extension: string, lossless: boolean, bits: number | null][] = [
  ['FLAC', 'FLAC', 'flac', true, 16],
  ['FLAC', 'FLAC', 'flac', true, 24],
  ['MP3', 'MP3', 'mp3', false, null],
  ['MP4', 'AAC', 'm4a', false, null],
  ['Ogg', 'Vorbis', 'ogg', false, null],
  ['Ogg', 'Opus', 'opus', false, null],
  ['WAV', 'PCM', 'wav', true, 16],
];
export const REASONS = ['no audio track in it', 'the file ends after 3.2 s of 4:12: it is cut off', 'MP3: 412 frames in a row could not be decoded', 'took longer than 300 s'];
const ADDED = Date.UTC(2026, 2, 1);

function state(id: number): LibraryTrackState {
  const at = mixed(id, 1) % 100;
  return at < 93 ? 'done' : at < 95 ? 'failed' : at < 96 ? 'vanished' : 'waiting';
}

function features(id: number): (number | null)[] {
  // Tracks of a genre lie about a middle of their own.
  const genre = mixed(Math.floor(id / 12), 7) % GENRES.length;
  return DIMENSIONS.map(({ low, high, decimals }, at) => {
    if ((at === 10 || at === 11) && mixed(id, 60) % 40 === 0) return null;
    const middle = 0.25 + 0.5 * share(genre + 1, 300 + at);
    const value = low + (high - low) * Math.min(1, Math.max(0, middle + 0.22 * bell(id, 400 + at)));
    return Number(value.toFixed(decimals));
  });
}

/** The track of a number, from 1 on; twelve in a row are an album. */
export function track(id: number): TrackItem {
  const album = Math.floor((id - 1) / 12);
  const [format, codec, extension, lossless, bits] = pick(KINDS, album, 2);
  const artist = `${pick(FIRST, album >> 1, 3)} ${pick(SECOND, album >> 1, 4)}`;
  const albumName = `${pick(WORDS, album, 5)} ${pick(WORDS, album, 6)}`;
  const number = ((id - 1) % 12) + 1;
  const title = `${pick(WORDS, id, 8)} ${pick(['of', 'and', 'in', 'under', 'for'], id, 9)} ${pick(WORDS, id, 10)}`;
  const stands = state(id);
  const analysed = stands === 'done' || stands === 'vanished';
  const known = stands !== 'waiting';
  const tagged = mixed(id, 11) % 50 !== 0;
  const duration = Math.round((90 + 420 * share(id, 12) ** 2) * 1000) / 1000;
  const rate = mixed(album, 13) % 5 === 0 ? (bits === 24 ? 96_000 : 48_000) : 44_100;
  const bitRate = lossless ? Math.round(rate * (bits ?? 16) * 2 * (format === 'WAV' ? 1 : 0.62)) : pick([128, 192, 256, 320], album, 14) * 1000;
  const root = ROOTS[album % 9 === 0 ? 1 : 0] ?? '';
  return {
    id,
    name: `${String(number).padStart(2, '0')} ${title}.${extension}`,
    folder: `${root}/${artist}/${albumName}`,
    state: stands,
    reason: stands === 'failed' ? pick(REASONS, id, 15) : null,
    title: tagged && known ? title : null,
    artist: tagged && known ? artist : null,
    album: tagged && known ? albumName : null,
    album_artist: tagged && known && album % 4 === 0 ? artist : null,
    genre: tagged && known ? (GENRES[mixed(Math.floor(id / 12), 7) % GENRES.length] ?? null) : null,
    year: tagged && known ? 1962 + (mixed(album, 16) % 63) : null,
    track_no: tagged && known ? number : null,
    disc_no: tagged && known ? 1 : null,
    duration_s: known && stands !== 'failed' ? duration : null,
    rate_hz: known && stands !== 'failed' ? rate : null,
    channels: known && stands !== 'failed' ? (mixed(album, 17) % 20 === 0 ? 1 : 2) : null,
    format: known ? format : null,
    codec: known ? codec : null,
    bit_rate: known && stands !== 'failed' ? bitRate : null,
    bits: known && stands !== 'failed' ? bits : null,
    bandwidth_hz: analysed ? Math.min(rate / 2 - 50, lossless && album % 7 !== 3 ? 18_200 + 3800 * share(id, 18) : 15_800 + 200 * share(id, 18)) : null,
    key: analysed ? pick(KEYS, id, 19) : null,
    bytes: Math.round((bitRate / 8) * duration),
    added_at: ADDED + album * 60_000,
    cover: tagged && album % 3 !== 1,
    features: analysed ? features(id) : DIMENSIONS.map(() => null),
  };
}
