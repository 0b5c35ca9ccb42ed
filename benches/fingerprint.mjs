// Times Chromaprint fingerprints of seven minutes of stereo against fpcalc, as whole processes in turn: `node
// benches/fingerprint.mjs [PROGRAM]`, the release build by default. Needs `fpcalc` and, for MP3, `ffmpeg` on the path.
//
// Both process the whole file (`-length 0`). Builds of fpcalc with FFmpeg 5 end with exit code 3 after printing.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { wavHeader } from "../tests/window/recordings.mjs";

const program = resolve(process.argv[2] ?? "target/release/undertone");
const RATE = 44_100;
const SECONDS = 420;
const TURNS = 7;

const folder = mkdtempSync(join(tmpdir(), "undertone-bench-"));
const wav = join(folder, "in.wav");
const mp3 = join(folder, "in.mp3");

function writeInput() {
  const samples = new Int16Array(RATE * SECONDS * 2);
  let seed = 1;
  let notes = [220, 330, 440];
  for (let frame = 0; frame < RATE * SECONDS; frame += 1) {
    if (frame % (RATE / 4) === 0) notes = notes.map((hz, voice) => 110 * 2 ** (((frame / RATE) * 28 + voice * 7 + Math.round(hz)) % 36 / 12));
    const time = frame / RATE;
    const chord = notes.reduce((sum, hz) => sum + 0.2 * Math.sin(2 * Math.PI * hz * time), 0);
    for (let channel = 0; channel < 2; channel += 1) {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      samples[frame * 2 + channel] = Math.round(32_767 * (chord + 0.02 * ((seed >>> 8) / 16_777_216 - 0.5)));
    }
  }
  writeFileSync(wav, Buffer.concat([wavHeader(RATE, RATE * SECONDS), Buffer.from(samples.buffer)]));
  const encoded = spawnSync("ffmpeg", ["-v", "error", "-i", wav, "-b:a", "192k", mp3]);
  return encoded.status === 0 ? [wav, mp3] : [wav];
}

function timed(command, args) {
  const begun = process.hrtime.bigint();
  const result = spawnSync(command, args, { encoding: "utf8", maxBuffer: 1 << 28 });
  const seconds = Number(process.hrtime.bigint() - begun) / 1e9;
  if (!/FINGERPRINT=/.test(result.stdout ?? "")) throw new Error(`${command}: ${result.error ?? result.stderr}`);
  return { seconds, printed: result.stdout };
}

try {
  for (const input of writeInput()) {
    const seconds = { undertone: [], fpcalc: [] };
    for (let turn = 0; turn < TURNS; turn += 1) {
      seconds.undertone.push(timed(program, ["fingerprint", "--format", "fpcalc", "--length", "0", input]).seconds);
      seconds.fpcalc.push(timed("fpcalc", ["-length", "0", input]).seconds);
    }
    const median = (of) => [...of].sort((a, b) => a - b)[Math.floor(of.length / 2)];
    console.log(input.endsWith("wav") ? "WAV" : "MP3");
    for (const [name, all] of Object.entries(seconds)) console.log(`${name.padEnd(10)} median ${median(all).toFixed(3)} s   ${all.map((each) => each.toFixed(3)).join(" ")}`);
    const ratios = seconds.fpcalc.map((each, turn) => each / seconds.undertone[turn]);
    console.log(`fpcalc over undertone, turn by turn: median ${median(ratios).toFixed(2)}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
