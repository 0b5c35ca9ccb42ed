// The real core, in a separate process, while tests are recorded. Queries block until answered, so that tests see the
// answer as soon as a recorded one.

import { execFileSync, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AskCore } from '../src/backend/replay';

const ROOT = join(import.meta.dirname, '../..');

interface Line {
  write(text: string): void;
  read(): string;
}

let line: Line | null = null;

/** Starts the test `serve` of tests/app/answers, which must have been built. */
// With a separate bin.
function connect(): Line {
  const folder = mkdtempSync(join(tmpdir(), 'undertone-answers-'));
  const [to, from, errors] = [join(folder, 'to'), join(folder, 'from'), join(folder, 'errors')];
  execFileSync('mkfifo', [to, from]);
  const command = `cargo test --quiet --test app -- answers::serve::serve --exact --ignored --nocapture <${to} >${from} 2>${errors}`;
  spawn('sh', ['-c', command], { cwd: ROOT, stdio: 'ignore', detached: true, env: { ...process.env, XDG_DATA_HOME: folder, TMPDIR: folder } }).unref();
  const out = openSync(to, 'w');
  const input = openSync(from, 'r');
  process.once('exit', () => closeSync(out));
  let rest = '';
  const bytes = Buffer.alloc(1 << 16);
  return {
    write: (text) => void writeSync(out, `${text}\n`),
    read() {
      for (;;) {
        const end = rest.indexOf('\n');
        if (end >= 0) {
          const found = rest.slice(0, end);
          rest = rest.slice(end + 1);
          const at = found.indexOf('@{');
          if (at >= 0) return found.slice(at + 1);
          continue;
        }
        const count = readSync(input, bytes);
        if (count === 0) throw new Error(`the core ended: ${readFileSync(errors, 'utf8').slice(-2000)}`);
        rest += bytes.toString('utf8', 0, count);
      }
    },
  };
}

export function liveCore(scene: string): AskCore {
  return (path, request) => {
    line ??= connect();
    line.write(JSON.stringify({ scene, path, request }));
    return JSON.parse(line.read()) as ReturnType<AskCore>;
  };
}
