import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const VITE = join(ROOT, '../node_modules/vite/bin/vite.js');

function built(mode: string): { name: string; text: string }[] {
  const folder = mkdtempSync(join(tmpdir(), 'undertone-bundle-'));
  try {
    const env = { ...process.env, NODE_ENV: 'production', VITEST: '' };
    execFileSync(process.execPath, [VITE, 'build', '--mode', mode, '--outDir', folder, '--logLevel', 'error'], { cwd: ROOT, env });
    const names = (readdirSync(folder, { recursive: true }) as string[]).filter((name) => /\.(js|css|html)$/.test(name));
    return names.map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

it('ships neither the recorded answers nor what the window’s policy forbids', () => {
  const files = built('production');
  expect(files.some(({ name }) => name.endsWith('.js')) && files.some(({ name }) => name.endsWith('.css'))).toBe(true);
  for (const { name, text } of files) {
    expect(text.includes('not recorded: '), `${name} holds the recorded answers`).toBe(false);
    if (name.endsWith('.js')) expect(/\beval\(|new Function\(/.test(text), `${name} evaluates text`).toBe(false);
    if (name.endsWith('.css')) expect(/url\(["']?(https?:|data:)/.test(text), `${name} names a forbidden source`).toBe(false);
    if (name.endsWith('.html')) expect(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/.test(text), `${name} holds inline code`).toBe(false);
  }
  // The check would find it where it is.
  expect(built('replay').some(({ text }) => text.includes('not recorded: '))).toBe(true);
}, 300_000);
