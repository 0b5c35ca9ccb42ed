import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pageComponent } from '../src/pages/components';
import { PAGES } from '../src/pages/pages';

const SOURCE = join(import.meta.dirname, '../src');
const files = (readdirSync(SOURCE, { recursive: true }) as string[]).filter((name) => /\.(ts|svelte)$/.test(name)).map((name) => name.replaceAll('\\', '/'));
const read = (name: string): string => readFileSync(join(SOURCE, name), 'utf8');

/** The files that put the pages together: their list, their words, and the editor's commands and menus among those of all pages. */
const ASSEMBLE = ['pages/pages.ts', 'text/catalogue.ts', 'commands/table.ts', 'commands/context/menus.ts'];
/** The sheet of shortcuts lists every gesture of the map, which a type ensures. */
const TYPES_ONLY = ['frame/ShortcutsDialog.svelte'];

const pageOf = (name: string): string | null => /^pages\/(\w+)\//.exec(name)?.[1] ?? null;

/** The pages whose name a file outside of their folders compares with. */
const asked = (name: string, source: string): string[] => [...source.matchAll(/\bpage [!=]==? '(\w+)'/g)].flatMap(([, page]) => (page === pageOf(name) ? [] : [`${name}: ${page}`]));

/** The imports of a file from the folders of other pages. */
const borrowed = (name: string, source: string): string[] =>
  [...source.matchAll(/(?:^|\n) *(?:import( type)?|export)\b[^;]*?\bfrom '(\.[^']+)'|import\('(\.[^']+)'\)/g)].flatMap(([, type, from, lazy]) => {
    const path = posix.join(posix.dirname(name), from ?? lazy ?? '');
    const page = pageOf(path);
    return page === null || page === pageOf(name) || (type && TYPES_ONLY.includes(name)) ? [] : [`${name}: ${path}`];
  });

describe('a page', () => {
  it('is asked for by name in its own folder only', () => {
    expect(files.flatMap((name) => asked(name, read(name)))).toEqual([]);
    expect(asked('frame/TopBar.svelte', "{#if app.page !== 'blind'}")).toEqual(['frame/TopBar.svelte: blind']);
    expect(asked('pages/blind/page.ts', "app.page === 'blind'")).toEqual([]);
  });

  it('takes nothing from another page, and gives only to what puts the pages together', () => {
    expect(files.filter((name) => !ASSEMBLE.includes(name)).flatMap((name) => borrowed(name, read(name)))).toEqual([]);
    expect(borrowed('pages/batch/page.ts', "import { x } from '../blind/state.svelte';")).toEqual(['pages/batch/page.ts: pages/blind/state.svelte']);
    expect(borrowed('kit/Row.svelte', "import x from '../pages/blind/words';")).toEqual(['kit/Row.svelte: pages/blind/words']);
    expect(borrowed('pages/batch/parts/Row.svelte', "import x from '../words';\nimport y from '../../../kit/Row.svelte';")).toEqual([]);
    for (const name of ASSEMBLE) expect(borrowed(name, read(name)), name).not.toEqual([]);
  });

  it('has a component and a folder of its name', () => {
    const folders = new Set(files.map(pageOf).filter((page) => page !== null));
    expect([...folders].sort()).toEqual(PAGES.map(({ name }) => name as string).sort());
    for (const { name } of PAGES) expect(pageComponent(name), name).toBeDefined();
  });

  it('without a button shares that of a page that has one', () => {
    for (const { within, tab } of PAGES) if (within) expect([tab, PAGES.find(({ name }) => name === within)?.tab]).toEqual([undefined, expect.anything()]);
  });
});
