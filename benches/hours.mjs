// Hours of stereo for the benches of the window.

import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { wavHeader } from "../tests/window/recordings.mjs";

const RATE = 44_100;

/** Writes `hours` of 16-bit stereo: a minute of swelling noise, repeated. */
export async function writeHours(path, hours = 1) {
  const minute = Buffer.alloc(60 * RATE * 4);
  let seed = 1;
  for (let frame = 0; frame < 60 * RATE; frame += 1) {
    const swell = Math.sin((Math.PI * (frame % (RATE * 7))) / (RATE * 7)) ** 2;
    for (let channel = 0; channel < 2; channel += 1) {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      minute.writeInt16LE(Math.round(swell * ((seed >>> 8) / 16_777_216 - 0.5) * 40_000), frame * 4 + channel * 2);
    }
  }
  const file = createWriteStream(path);
  file.write(wavHeader(RATE, hours * 3600 * RATE));
  for (let written = 0; written < hours * 60; written += 1) {
    if (!file.write(minute)) await once(file, "drain");
  }
  file.end();
  await once(file, "finish");
}
