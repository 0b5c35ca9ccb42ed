// Times the computation of the 25 dimensions of a recording against librosa's stages, as whole processes in turn: `node
// benches/analyze.mjs [IN.wav] [PROGRAM]`. Defaults: seven minutes of generated audio and the release build. Needs
// Python with librosa and soundfile (PYTHON names the interpreter, `python3` by default).

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { writeSong } from "../tests/window/songs.mjs";

const program = resolve(process.argv[3] ?? "target/release/undertone");
const python = process.env.PYTHON ?? "python3";
const TURNS = 3;

const folder = mkdtempSync(join(tmpdir(), "undertone-bench-"));
const wav = process.argv[2] ?? join(folder, "in.wav");
if (!process.argv[2]) writeSong(wav, 3, 420, 44_100);

function timed(command, words) {
  const begun = performance.now();
  const { status, stdout, stderr } = spawnSync(command, words, { encoding: "utf8", maxBuffer: 1 << 26 });
  if (status !== 0) throw new Error(`${command}: ${stderr}`);
  return { seconds: (performance.now() - begun) / 1000, stdout };
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const [ours, theirs] = [[], []];
let stages;
for (let turn = 0; turn < TURNS; turn += 1) {
  for (let again = 0; again < 2; again += 1) ours.push(timed(program, ["analyze", wav, "--json"]).seconds);
  stages = JSON.parse(timed(python, ["benches/librosa_stages.py", wav]).stdout);
  theirs.push(stages.total);
}
console.log(`undertone  median ${median(ours).toFixed(2)} s   ${ours.map((s) => s.toFixed(2)).join(" ")}   (whole process, decoding included)`);
console.log(`librosa ${stages.librosa}  median ${median(theirs).toFixed(1)} s   ${theirs.map((s) => s.toFixed(1)).join(" ")}   (its stages alone, reading included)`);
console.log(`librosa over undertone: ${(median(theirs) / median(ours)).toFixed(1)}`);
for (const [name, seconds] of Object.entries(stages.seconds)) console.log(`  ${name.padEnd(20)} ${seconds.toFixed(2)} s`);
rmSync(folder, { recursive: true });
