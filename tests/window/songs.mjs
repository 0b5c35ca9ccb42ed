// Songs that the tests make themselves: each has different chords and tempo, so that a library can distinguish them.

import { appendFileSync, writeFileSync } from "node:fs";
import { wavHeader } from "./recordings.mjs";

/** Numbers from 0 to 1, the same for the same seed. */
function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Seconds of 16-bit stereo: chords that change with a beat, the left one an octave below. */
export function writeSong(path, seed, seconds = 30, rate = 22_050) {
  const random = randomOf(seed * 7919 + 1);
  const beat = Math.round((60 / (80 + 12 * (seed % 7))) * rate);
  const frames = rate * seconds;
  const bytes = Buffer.alloc(44 + frames * 4);
  wavHeader(rate, frames).copy(bytes);
  let chord = [];
  for (let frame = 0; frame < frames; frame += 1) {
    const within = frame % beat;
    if (within === 0) {
      const root = 110 * 2 ** (Math.floor(random() * 12) / 12);
      const third = random() < 0.5 ? 3 : 4;
      chord = [0, third, 7, 12 + Math.floor(random() * 12)].map((step) => (2 * Math.PI * root * 2 ** (step / 12)) / rate);
    }
    const swell = Math.exp((-3 * within) / beat);
    let [left, right] = [0, 0];
    for (const step of chord) {
      left += Math.sin((step * frame) / 2);
      right += Math.sin(step * frame);
    }
    // A tick on every beat.
    const tick = within < 300 ? (random() - 0.5) * 0.5 * (1 - within / 300) : 0;
    bytes.writeInt16LE(Math.round((0.12 * swell * left + tick) * 32_767), 44 + frame * 4);
    bytes.writeInt16LE(Math.round((0.12 * swell * right + tick) * 32_767), 46 + frame * 4);
  }
  writeFileSync(path, bytes);
}

/** An orange picture of 8 by 8 pixels. */
const PICTURE = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR42mP4P0EBK2IYWhIAUf5rwdUMqWkAAAAASUVORK5CYII=", "base64");

/** Gives a WAV file a front cover, in an ID3 chunk after its sound. */
export function addCover(path) {
  const content = Buffer.concat([Buffer.from("\0image/png\0\x03\0", "latin1"), PICTURE]);
  const frame = Buffer.concat([Buffer.from("APIC\0\0\0\0\0\0", "latin1"), content]);
  frame.writeUInt32BE(content.length, 4);
  const tag = Buffer.concat([Buffer.from("ID3\x03\0\0\0\0\0\0", "latin1"), frame]);
  // Seven bits of the size a byte.
  tag[8] = frame.length >> 7;
  tag[9] = frame.length & 127;
  const chunk = Buffer.concat([Buffer.from("id3 \0\0\0\0", "latin1"), tag, Buffer.alloc(tag.length % 2)]);
  chunk.writeUInt32LE(tag.length, 4);
  appendFileSync(path, chunk);
}
