// Recordings for benches and pictures: music-like, the same for each seed.

const RATE = 44_100;

/** Chords with overtones that decay, a bass and noise on the beat: different in each file and channel. */
export function recording(seed, seconds) {
  let state = BigInt(seed + 1) * 0x9e3779b97f4a7c15n & 0xffffffffffffffffn;
  const random = () => {
    state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
    return Number(state >> 11n) / 2 ** 53;
  };
  const frames = RATE * seconds;
  const left = new Float32Array(frames), right = new Float32Array(frames);
  const beat = Math.floor(RATE * (0.35 + 0.3 * random()));
  for (let start = 0; start < frames; start += beat) {
    for (let voice = 0; voice < 4; voice++) {
      const hz = 55 * 2 ** (Math.floor(random() * 40) / 12), pan = random(), decay = 1 + 6 * random();
      for (let n = 0; n < 3 * beat && start + n < frames; n++) {
        const t = n / RATE, level = 0.05 * Math.exp(-decay * t);
        let value = 0;
        for (let k = 1; k <= 6; k++) value += Math.sin(2 * Math.PI * hz * k * t) / k;
        left[start + n] += level * value * pan;
        right[start + n] += level * value * (1 - pan);
      }
    }
    for (let n = 0; n < 4000 && start + n < frames; n++) {
      const value = 0.15 * (2 * random() - 1) * Math.exp(-n / 800);
      left[start + n] += value;
      right[start + n] += value * 0.8;
    }
  }
  const bytes = Buffer.alloc(44 + 4 * frames);
  bytes.write('RIFF', 0); bytes.writeUInt32LE(36 + 4 * frames, 4); bytes.write('WAVEfmt ', 8);
  bytes.writeUInt32LE(16, 16); bytes.writeUInt16LE(1, 20); bytes.writeUInt16LE(2, 22);
  bytes.writeUInt32LE(RATE, 24); bytes.writeUInt32LE(4 * RATE, 28); bytes.writeUInt16LE(4, 32); bytes.writeUInt16LE(16, 34);
  bytes.write('data', 36); bytes.writeUInt32LE(4 * frames, 40);
  const integer = (value) => Math.max(-32768, Math.min(32767, Math.round(32768 * value)));
  for (let n = 0; n < frames; n++) {
    bytes.writeInt16LE(integer(left[n]), 44 + 4 * n);
    bytes.writeInt16LE(integer(right[n]), 46 + 4 * n);
  }
  return bytes;
}
