// Times a spectrogram of seven minutes of stereo as a PNG against sox, as whole processes in turn: `node
// benches/spectrogram.mjs [PROGRAM]`, the release build by default. Needs `sox` on the path.
//
// Both draw 1920 columns and 513 rows per channel, with linear frequency. Sox computes one transform of 1024 points per
// column; this program uses windows of 2048, as many as fit the width of a column.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { wavHeader } from "../tests/window/recordings.mjs";

const program = resolve(process.argv[2] ?? "target/release/undertone");
const RATE = 44_100;
const SECONDS = 420;
const TURNS = 5;

const folder = mkdtempSync(join(tmpdir(), "undertone-bench-"));
const input = join(folder, "in.wav");

function writeInput() {
  const samples = new Int16Array(RATE * SECONDS * 2);
  let seed = 1;
  for (let frame = 0; frame < RATE * SECONDS; frame += 1) {
    const sweep = 0.4 * Math.sin(2 * Math.PI * (100 + frame / 4000) * (frame / RATE));
    for (let channel = 0; channel < 2; channel += 1) {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      samples[frame * 2 + channel] = Math.round(32_767 * (sweep + 0.1 * ((seed >>> 8) / 16_777_216 - 0.5)));
    }
  }
  writeFileSync(input, Buffer.concat([wavHeader(RATE, RATE * SECONDS), Buffer.from(samples.buffer)]));
}

const tools = {
  undertone: [program, ["spectrogram", input, "-o", join(folder, "undertone.png"), "--overwrite", "--scale", "linear", "--width", "1920", "--height", "513"]],
  sox: ["sox", [input, "-n", "spectrogram", "-x", "1920", "-y", "513", "-o", join(folder, "sox.png")]],
};

try {
  writeInput();
  const seconds = { undertone: [], sox: [] };
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (const [name, [command, args]] of Object.entries(tools)) {
      const begun = process.hrtime.bigint();
      const result = spawnSync(command, args, { encoding: "utf8" });
      if (result.status !== 0) throw new Error(`${name}: ${result.error ?? result.stderr}`);
      seconds[name].push(Number(process.hrtime.bigint() - begun) / 1e9);
    }
  }
  const median = (of) => [...of].sort((a, b) => a - b)[Math.floor(of.length / 2)];
  for (const [name, all] of Object.entries(seconds)) console.log(`${name.padEnd(10)} median ${median(all).toFixed(2)} s   ${all.map((each) => each.toFixed(2)).join(" ")}`);
  const ratios = seconds.sox.map((each, turn) => each / seconds.undertone[turn]);
  console.log(`sox over undertone, turn by turn: median ${median(ratios).toFixed(2)}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
