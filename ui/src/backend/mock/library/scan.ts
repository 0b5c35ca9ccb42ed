// A scan that goes through the waiting tracks, two at a time.

import type { ScanView, TrackItem } from '../../../bindings';
import { DIMENSIONS } from './dimensions';
import { mixed, share } from './noise';
import { REASONS, track } from './tracks';

const LANES = 2;

export function newScan(items: TrackItem[]): ScanView {
  const waiting = items.filter((item) => item.state === 'waiting');
  return {
    phase: 'walking',
    tracks_done: 0,
    tracks_total: waiting.length,
    bytes_done: 0,
    bytes_total: waiting.reduce((sum, item) => sum + item.bytes, 0),
    found: items.length,
    analysed: 0,
    recognised: 0,
    failed: 0,
    vanished: 0,
    elapsed_s: 0,
    tracks_per_s: 0,
    realtime_factor: 0,
    remaining_s: null,
    time: { decode: 0, analysis: 0, gpu: 0, recognising: 0, database: 0, memory: 0 },
    in_hand: [],
    memory_bytes: 0,
    device: null,
    fault: null,
    notices: [],
  };
}

/** A quarter of a second later. */
export function step(scan: ScanView, items: TrackItem[]): ScanView {
  if (scan.phase === 'paused' || scan.phase === 'held') return scan;
  if (scan.phase === 'pausing') return { ...scan, phase: 'paused', in_hand: [] };
  if (scan.phase === 'stopping') return { ...scan, phase: 'cancelled', in_hand: [] };
  const next = { ...scan, elapsed_s: scan.elapsed_s + 0.25, time: { ...scan.time } };
  if (scan.phase === 'walking') return { ...next, phase: next.elapsed_s > 1 ? 'analysing' : 'walking' };
  const waiting = items.filter((item) => item.state === 'waiting' || item.state === 'analysing').slice(0, LANES);
  next.in_hand = waiting.map(({ id, name }, at) => ({ id, name, done: share(id, Math.round(next.elapsed_s * 4)) * 0.5 + 0.4, elapsed_s: 0.4 + at * 0.7 }));
  const item = waiting[0];
  if (!item) return { ...next, phase: 'done', in_hand: [], remaining_s: 0, bytes_done: next.bytes_total, memory_bytes: 0 };
  finish(item, next);
  next.tracks_done++;
  next.bytes_done += item.bytes;
  next.tracks_per_s = next.tracks_done / Math.max(0.25, next.elapsed_s - 1);
  next.realtime_factor = 620 + 40 * Math.sin(next.elapsed_s);
  next.remaining_s = next.elapsed_s > 2 ? (next.tracks_total - next.tracks_done) / next.tracks_per_s : null;
  next.memory_bytes = 142e6;
  next.device = { requested: 'auto', used: 'cpu', name: 'CPU', reason: 'faster than the adapter for this recording', fallback: false };
  for (const [name, part] of [['decode', 0.21], ['analysis', 0.24], ['recognising', 0.02], ['database', 0.025], ['memory', 0.005]] as const) next.time[name] += part;
  return next;
}

function finish(item: TrackItem, scan: ScanView): void {
  if (mixed(item.id, 90) % 12 === 0) {
    Object.assign(item, { state: 'failed', reason: REASONS[item.id % REASONS.length] ?? null });
    scan.failed++;
    return;
  }
  // The same recording as it is once known, whatever it was drawn to be.
  const known = [item.id, item.id + 12, item.id + 24, item.id + 36].map((id) => track(id)).find((each) => each.state === 'done');
  const features = known?.features ?? DIMENSIONS.map(() => null);
  Object.assign(item, { ...(known ?? {}), id: item.id, name: item.name, folder: item.folder, bytes: item.bytes, added_at: item.added_at, features, state: 'done' });
  scan.analysed++;
}
