// A recording made of nothing: drums, chords and a melody in stereo.

export interface Recording {
  rate: number;
  channels: Float32Array[];
}

const note = (semitones: number): number => 220 * 2 ** (semitones / 12);

export function synthesise(seconds = 20, rate = 48_000): Recording {
  const frames = Math.round(seconds * rate);
  const left = new Float32Array(frames);
  const right = new Float32Array(frames);
  let seed = 20261120;
  const noise = () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) | 0;
    return seed / 2147483648;
  };
  const add = (at: number, length: number, pan: number, voice: (t: number) => number) => {
    const first = Math.round(at * rate);
    const last = Math.min(frames, first + Math.round(length * rate));
    const l = Math.cos((pan * Math.PI) / 2);
    const r = Math.sin((pan * Math.PI) / 2);
    for (let frame = Math.max(0, first); frame < last; frame++) {
      const value = voice((frame - first) / rate);
      left[frame] = (left[frame] ?? 0) + value * l;
      right[frame] = (right[frame] ?? 0) + value * r;
    }
  };
  const chords = [
    [0, 3, 7, 10],
    [-4, 0, 3, 7],
    [-2, 2, 5, 9],
    [-5, -1, 2, 7],
  ];
  const melody = [12, 15, 19, 22, 19, 15, 17, 14];
  for (let beat = 0; beat * 0.5 < seconds; beat++) {
    const t = beat * 0.5;
    if (t > 9.6 && t < 10.4) continue;
    const loud = t < 4 ? 0.5 : t > 16 ? 0.75 : 1;
    if (beat % 2 === 0) add(t, 0.35, 0.5, (s) => 0.62 * loud * Math.sin(2 * Math.PI * (48 * s + 9 * (1 - Math.exp(-s * 30)))) * Math.exp(-s * 11));
    else add(t, 0.2, 0.55, (s) => 0.34 * loud * noise() * Math.exp(-s * 24));
    for (const off of [0, 0.25]) add(t + off, 0.06, 0.7, (s) => 0.11 * loud * noise() * Math.exp(-s * 70));
    if (beat % 4 === 0) {
      for (const [index, semitones] of (chords[(beat / 4) % 4] ?? []).entries()) {
        const hz = note(semitones);
        add(t, 2, 0.25 + index * 0.15, (s) => 0.055 * loud * Math.min(1, s * 20) * Math.exp(-s * 0.8) * (Math.sin(2 * Math.PI * hz * s) + 0.4 * Math.sin(4 * Math.PI * hz * s)));
      }
    }
    if (t >= 4) {
      const hz = note(melody[beat % melody.length] ?? 12);
      add(t, 0.48, beat % 4 < 2 ? 0.38 : 0.62, (s) => 0.13 * Math.min(1, s * 60) * Math.exp(-s * 3.4) * (Math.sin(2 * Math.PI * hz * s) + 0.25 * Math.sin(6 * Math.PI * hz * s)));
    }
  }
  return { rate, channels: [left, right] };
}
