// Makes docs/pictures/codecs.png: what codecs do to eight recordings, as the program plots it.
//
// `cargo build --bin undertone; node scripts/pictures-codecs.mjs`. MP3 needs the LAME library.

import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { recording } from './recordings.mjs';

const CODECS = ['opus:24,48,96,192', 'vorbis:q-1,q2,q5,q9', 'mp3:64,128,192,320', 'pcm:10,12,14', 'rate:8000,16000,32000', 'flac'];

const desk = mkdtempSync(join(tmpdir(), 'undertone-codecs-'));
try {
  for (let seed = 0; seed < 8; seed++) writeFileSync(join(desk, `${seed}.wav`), recording(seed, 6));
  const words = ['codecs', 'run', desk, '--codecs', ...CODECS, '--measures', 'mel', '--out', join(desk, 'out')];
  execFileSync(resolve(process.argv[2] ?? 'target/debug/undertone'), words, { stdio: ['ignore', 'inherit', 'inherit'] });
  copyFileSync(join(desk, 'out', 'plots', 'mel.png'), 'docs/pictures/codecs.png');
} finally {
  rmSync(desk, { recursive: true, force: true });
}
