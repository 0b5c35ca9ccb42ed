// What is heard of the synthetic recording: real spectra of the frames at the play head, the processed side by the chain's response.

import type { LoudnessQuery, MonitorQuery } from '../../bindings';
import { walk } from '../../lib/chain';
import type { LoudnessBlock, LoudnessNumbers, MonitorFrame } from '../heard';
import type { Recording } from './demo';
import { power } from './effects';
import { transform } from './fft';
import type { MockDocument, World } from './world';

const FLOOR_DB = -200;
const POINTS_PER_S = 10;
const GONIOMETER_POINTS = 512;

export class Listener {
  on = false;
  private sequence = 0;
  private at = -1;
  private from = 0;
  private held: Float32Array[] = [];

  /** The frame that is heard, or the silence while nothing is. */
  frame(world: World, query: MonitorQuery): MonitorFrame {
    const { transport } = world;
    const document = transport.document === null ? undefined : world.documents.get(transport.document);
    const sounding = this.on && transport.playing && document !== undefined;
    const rate = document?.recording.rate ?? 0;
    const none: LoudnessNumbers = { momentary: null, shortTerm: null, integrated: null, range: null, truePeak: null };
    if (!sounding || !document) {
      this.from = transport.frame;
      return { sequence: this.sequence, sounding: false, side: transport.side, both: true, rate: 0, channels: 2, pair: [0, 1], lanes: [], goniometer: new Float32Array(0), correlation: null, loudness: none };
    }
    if (transport.frame !== this.at) this.sequence++;
    this.at = transport.frame;
    const lanes = mixtures(document.recording, query, transport.frame).map((samples) => {
      const dry = levels(samples, query, rate);
      return { levels: [dry, processed(dry, query, document, rate)] as [Float32Array, Float32Array], held: null as [Float32Array, Float32Array] | null };
    });
    if (query.hold !== 'off') this.hold(lanes);
    return { sequence: this.sequence, sounding: true, side: transport.side, both: true, rate, channels: 2, pair: [0, 1], lanes, ...image(document.recording, transport.frame), loudness: this.loudness(document.recording, transport.frame) };
  }

  resetPeaks(): void {
    this.held = [];
  }

  resetLoudness(frame: number): void {
    this.from = frame;
  }

  private hold(lanes: MonitorFrame['lanes']): void {
    const now = lanes.flatMap((lane) => lane.levels);
    if (this.held.length !== now.length || this.held[0]?.length !== now[0]?.length) this.held = now.map((each) => each.slice());
    this.held.forEach((held, i) => now[i]?.forEach((db, point) => (held[point] = Math.max(held[point] ?? FLOOR_DB, db))));
    lanes.forEach((lane, i) => (lane.held = [this.held[2 * i]?.slice() ?? new Float32Array(0), this.held[2 * i + 1]?.slice() ?? new Float32Array(0)]));
  }

  private loudness(recording: Recording, frame: number): LoudnessNumbers {
    const { rate } = recording;
    const over = (seconds: number) => unweighted(recording, frame - seconds * rate, frame);
    return { momentary: over(0.4), shortTerm: over(3), integrated: unweighted(recording, Math.min(this.from, frame - rate), frame), range: null, truePeak: peak(recording, this.from, frame) };
  }
}

function mixtures({ channels: [left = new Float32Array(0), right = left] }: Recording, query: MonitorQuery, frame: number): Float64Array[] {
  const size = query.window_frames;
  const mixed = (mix: (l: number, r: number) => number) => Float64Array.from({ length: size }, (_, i) => mix(left[frame - size + i] ?? 0, right[frame - size + i] ?? 0));
  if (query.channels === 'mix') return [mixed((l, r) => (l + r) / 2)];
  if (query.channels === 'each') return [mixed((l) => l), mixed((_, r) => r)];
  return [mixed((l, r) => (l + r) / 2), mixed((l, r) => (l - r) / 2)];
}

const hzOf = (point: number, { from_hz, to_hz, points }: MonitorQuery): number => from_hz * (to_hz / from_hz) ** (point / (points - 1));

function levels(samples: Float64Array, query: MonitorQuery, rate: number): Float32Array {
  const size = samples.length;
  const re = samples.map((sample, i) => sample * (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / size)));
  const im = new Float64Array(size);
  transform(re, im);
  const db = (bin: number) => 20 * Math.log10(Math.max(1e-10, (4 / size) * Math.hypot(re[bin] ?? 0, im[bin] ?? 0)));
  return Float32Array.from({ length: query.points }, (_, point) => {
    const hz = hzOf(point, query);
    if (hz > rate / 2) return NaN;
    const place = (hz / rate) * size;
    const wide = Math.max(1, Math.floor((hzOf(point + 1, query) / rate) * size) - Math.floor(place));
    const bin = Math.floor(place);
    let most = db(bin) + (db(bin + 1) - db(bin)) * (place - bin);
    for (let i = 1; i < wide; i++) most = Math.max(most, db(bin + i));
    return Math.max(FLOOR_DB, most + Number(query.slope) * Math.log2(hz / 1000));
  });
}

function processed(dry: Float32Array, query: MonitorQuery, document: MockDocument, rate: number): Float32Array {
  const effects = [...walk(document.view.chain.nodes)].flatMap((node) => (node.kind === 'effect' && !node.bypass ? [node] : []));
  return dry.map((db, point) => {
    const gain = effects.reduce((sum, node) => sum + 10 * Math.log10(Math.max(1e-16, power(node.effect, node.arguments, hzOf(point, query), rate) ?? 1)) * node.mix, 0);
    return db + gain;
  });
}

function image({ channels: [left = new Float32Array(0), right = left] }: Recording, frame: number): { goniometer: Float32Array; correlation: number | null } {
  const goniometer = new Float32Array(2 * GONIOMETER_POINTS);
  let [both, l2, r2] = [0, 0, 0];
  for (let i = 0; i < GONIOMETER_POINTS; i++) {
    const [l, r] = [left[frame - i] ?? 0, right[frame - i] ?? 0];
    goniometer[2 * i] = (r - l) / 2;
    goniometer[2 * i + 1] = (l + r) / 2;
    both += l * r;
    l2 += l * l;
    r2 += r * r;
  }
  return { goniometer, correlation: l2 > 1e-9 && r2 > 1e-9 ? both / Math.sqrt(l2 * r2) : null };
}

/** The level of the mean square, without the weighting and the gates of the real measure. */
function unweighted(recording: Recording, from: number, to: number): number | null {
  const first = Math.max(0, Math.round(from));
  // A few thousand samples tell it well enough.
  const step = Math.max(1, Math.floor((to - first) / 4096));
  let sum = 0;
  let count = 0;
  for (let frame = first; frame < to; frame += step) {
    for (const samples of recording.channels) sum += (samples[frame] ?? 0) ** 2;
    count++;
  }
  return count > 0 && sum > 0 ? -0.691 + 10 * Math.log10(sum / count) : null;
}

function peak(recording: Recording, from: number, to: number): number | null {
  let most = 0;
  const step = Math.max(1, Math.floor((to - from) / 8192));
  for (let frame = Math.max(0, from); frame < to; frame += step) for (const samples of recording.channels) most = Math.max(most, Math.abs(samples[frame] ?? 0));
  return most > 0 ? 20 * Math.log10(most) : null;
}

/** The curve of one side, in two parts, so that a growing one is seen. */
export class Curves {
  private readonly known = new Map<string, { generation: number; share: number }>();
  private generations = 0;

  block(world: World, document: MockDocument, query: LoudnessQuery): LoudnessBlock {
    const { recording, view } = document;
    const key = `${view.id} ${query.side} ${query.side === 'processed' ? view.chain_text : ''}`;
    let track = this.known.get(key);
    if (!track) {
      track = { generation: ++this.generations, share: 0.5 };
      this.known.set(key, track);
      const begun = track;
      setTimeout(() => {
        begun.share = 1;
        const points = Math.floor((view.frames / recording.rate) * POINTS_PER_S);
        world.emit({ kind: 'loudness', document: view.id, side: query.side, loudness: { generation: begun.generation, share: 1, points, finished: true, failure: null } });
      }, 60);
    }
    const points = Math.floor(track.share * (view.frames / recording.rate) * POINTS_PER_S);
    const from = query.generation === track.generation ? Math.min(query.from, points) : 0;
    const gain = query.side === 'processed' ? 10 * Math.log10(Math.max(1e-16, [...walk(view.chain.nodes)].reduce((product, node) => product * (node.kind === 'effect' && !node.bypass ? (power(node.effect, node.arguments, 1000, recording.rate) ?? 1) : 1), 1))) : 0;
    const curve = (seconds: number) =>
      Float32Array.from({ length: points - from }, (_, i) => {
        const end = ((from + i + 1) * recording.rate) / POINTS_PER_S;
        return (unweighted(recording, end - seconds * recording.rate, end) ?? -Infinity) + gain;
      });
    const [momentary, shortTerm] = [curve(0.4), curve(3)];
    const most = (values: Float32Array) => values.reduce<number | null>((found, value) => (Number.isFinite(value) && (found === null || value > found) ? value : found), null);
    const whole = unweighted(recording, 0, (points * recording.rate) / POINTS_PER_S);
    return { generation: track.generation, from, finished: track.share === 1, share: track.share, integrated: whole === null ? null : whole + gain, range: null, maxMomentary: most(momentary), maxShortTerm: most(shortTerm), momentary, shortTerm };
  }
}
