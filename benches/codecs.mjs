// Where the time of a grid of codecs goes: 20 recordings of 10 s in stereo, 3 codecs, 4 rates each, 240 cells.
//
// `cargo build --release --bin undertone; node benches/codecs.mjs [--measures NAMES] [--jobs N]` prints the wall time, the
// time of each step over all cells, and the share of encoding in it. Other arguments are passed on.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { recording } from '../scripts/recordings.mjs';

const SECONDS = 10;
const FILES = 20;
const CODECS = ['opus:32,64,96,160', 'vorbis:q0,q2,q5,q8', 'mp3:96,128,192,320'];

const program = resolve('target/release/undertone');
const desk = mkdtempSync(join(tmpdir(), 'undertone-codecs-'));
try {
  for (let seed = 0; seed < FILES; seed++) writeFileSync(join(desk, `${String(seed).padStart(2, '0')}.wav`), recording(seed, SECONDS));
  const start = performance.now();
  const words = ['codecs', 'run', desk, '--codecs', ...CODECS, '--out', join(desk, 'out'), ...process.argv.slice(2)];
  execFileSync(program, words, { stdio: ['ignore', 'inherit', 'inherit'] });
  const wall = (performance.now() - start) / 1000;
  const results = JSON.parse(readFileSync(join(desk, 'out', 'results.json'), 'utf8'));
  const total = { convert: 0, encode: 0, decode: 0, compare: 0 };
  const encode = {};
  for (const cell of results.cells) {
    for (const step of Object.keys(total)) total[step] += cell.seconds[step];
    encode[cell.family] = (encode[cell.family] ?? 0) + cell.seconds.encode;
  }
  const all = Object.values(total).reduce((sum, seconds) => sum + seconds);
  console.log(`\n${results.cells.length} cells, ${results.jobs} at a time: ${wall.toFixed(1)} s`);
  for (const [step, seconds] of Object.entries(total)) {
    console.log(`${step.padEnd(10)}${seconds.toFixed(1).padStart(8)} s${(100 * seconds / all).toFixed(0).padStart(5)} %`);
  }
  for (const [family, seconds] of Object.entries(encode)) console.log(`  encode ${family.padEnd(8)}${seconds.toFixed(1).padStart(7)} s`);
  console.log('measures:', results.measures.map((measure) => measure.name).join(' '));
} finally {
  rmSync(desk, { recursive: true, force: true });
}
