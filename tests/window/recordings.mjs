// Recordings that the tests make themselves.

import { writeFileSync } from "node:fs";

/** The header of a WAV file of 16-bit stereo. */
export function wavHeader(rate, frames) {
  const header = Buffer.alloc(44);
  header.write("RIFF", 0);
  header.writeUInt32LE(36 + frames * 4, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(2, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * 4, 28);
  header.writeUInt16LE(4, 32);
  header.writeUInt16LE(16, 34);
  header.write("data", 36);
  header.writeUInt32LE(frames * 4, 40);
  return header;
}

/** Six seconds of stereo, 16 bit, 44.1 kHz: two tones that swell and fade; `level` is a gain. */
export function writeTestTone(path, seconds = 6, level = 1) {
  const rate = 44_100;
  const frames = rate * seconds;
  const bytes = Buffer.alloc(44 + frames * 4);
  wavHeader(rate, frames).copy(bytes);
  for (let frame = 0; frame < frames; frame += 1) {
    const time = frame / rate;
    const swell = Math.sin((Math.PI * (time % 1.5)) / 1.5) ** 2;
    const left = 0.4 * level * swell * Math.sin(2 * Math.PI * 220 * time);
    const right = 0.3 * level * swell * Math.sin(2 * Math.PI * 331 * time);
    bytes.writeInt16LE(Math.round(left * 32_767), 44 + frame * 4);
    bytes.writeInt16LE(Math.round(right * 32_767), 46 + frame * 4);
  }
  writeFileSync(path, bytes);
}
