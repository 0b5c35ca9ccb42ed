import { flushSync } from 'svelte';
import { describe, expect, it } from 'vitest';
import AppView from '../src/App.svelte';
import { both, categoryInks, drawPoints, SHAPES, shapeStamp } from '../src/pages/library/draw/map-points';
import { categoriesOf, CATEGORY_COLOURS, placeOnWheel } from '../src/pages/library/lib/categories';
import { runsOf, type Seen } from '../src/pages/library/lib/sorted-values';
import type { TrackItem } from '../src/bindings';
import { App } from '../src/state/app.svelte';
import { show } from './mounted';
import { recorded, tracksOf } from './recorded';

let seed = 5;
const random = (): number => {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff;
  return seed / 0x8000_0000;
};

describe('the values of a sorted list', () => {
  const expand = (runs: Awaited<ReturnType<typeof runsOf>>, count: number): (string | null)[] => {
    const values: (string | null)[] = [];
    runs.forEach((run, at) => {
      while (values.length < (runs[at + 1]?.from ?? count)) values.push(run.value);
    });
    return values;
  };

  it('are those that looking at all would find, by looking at few', async () => {
    for (let round = 0; round < 60; round++) {
      const count = Math.floor(random() ** 3 * 20_000);
      const kinds = 1 + Math.floor(random() * 40);
      const values: (string | null)[] = Array.from({ length: count }, () => `genre ${Math.floor(random() ** 3 * kinds) + 10}`).sort();
      const nothing = Math.floor(random() * count * 0.3);
      for (let at = count - nothing; at < count; at++) values[at] = null;
      let looked = 0;
      const runs = await runsOf(count, async (places) => {
        looked += places.length;
        return places.map((place) => values[place] ?? null);
      });
      expect(expand(runs, count)).toEqual(values);
      expect(runs.length).toBe(new Set(values).size);
      expect(looked).toBeLessThanOrEqual(Math.min(count, 96 + 60 * (kinds + 1)));
    }
  });

  it('differ not by capitals, as the order does not, and bear what has gone meanwhile', async () => {
    const values: Seen[] = ['Ambient', 'ambient', 'AMBIENT', undefined, 'Jazz', 'jazz', undefined, 'Rock', null, undefined, null];
    const runs = await runsOf(values.length, async (places) => places.map((place) => values[place]));
    expect(runs.map((run) => run.value?.toLowerCase() ?? null)).toEqual(['ambient', 'jazz', 'rock', null]);
    expect(runs.map((run) => run.from)).toEqual([0, 4, 7, 8]);
    expect(await runsOf(0, () => Promise.reject(new Error('asked for nothing')))).toEqual([]);
    const one = await runsOf(1, async () => [null]);
    expect(one).toEqual([{ from: 0, value: null }]);
  });
});

describe('categories', () => {
  it('of keys go by fifths, a minor key beside the major one of the same signs', () => {
    const { entries, of } = categoriesOf('key', ['Am', 'G', 'C', null, 'Em', 'F', 'Bb', 'A#', 'Am', 'no key']);
    expect(entries.map((entry) => entry.value)).toEqual(['C', 'Am', 'G', 'Em', 'A#', 'Bb', 'F', 'no key', null]);
    expect(entries.map((entry) => entry.count)).toEqual([1, 2, 1, 1, 1, 1, 1, 1, 1]);
    const [c, am, g] = entries;
    expect(am?.colour).toBe(c?.colour);
    expect(am?.shape).not.toBe(c?.shape);
    expect(g?.colour).toBe(1);
    expect([...of]).toEqual([1, 2, 0, 8, 3, 6, 5, 4, 1, 7]);
    // All twelve steps return to the start, and every key has a distinct place.
    const all = ['C', 'G', 'D', 'A', 'E', 'B', 'F#', 'C#', 'G#', 'D#', 'A#', 'F'].map((key) => placeOnWheel(key)?.fifths);
    expect(all).toEqual(Array.from({ length: 12 }, (_, at) => at));
    expect(placeOnWheel('H')).toBeNull();
  });

  it('of genres are the most frequent ones, and the rest together', () => {
    const values = Array.from({ length: 30 }, (_, kind) => Array.from({ length: 31 - kind }, () => `Genre ${kind}`)).flat();
    const { entries, of } = categoriesOf('genre', [...values, 'GENRE 0', null]);
    expect(entries).toHaveLength(CATEGORY_COLOURS + 2);
    expect(entries[0]).toMatchObject({ value: 'Genre 0', count: 32 });
    expect(entries.at(-2)).toMatchObject({ kind: 'rest', value: null });
    expect(entries.at(-1)).toMatchObject({ kind: 'none', count: 1 });
    expect(entries.reduce((sum, entry) => sum + entry.count, 0)).toBe(values.length + 2);
    entries.forEach((entry, at) => expect(of.filter((kind) => kind === at).length).toBe(entry.count));
    // Never told apart by colour alone, and neighbours in the list not by neighbouring hues.
    expect(new Set(entries.map((entry) => `${entry.colour} ${entry.shape}`)).size).toBe(entries.length);
    for (let at = 1; at < CATEGORY_COLOURS; at++) expect(entries[at]?.shape).not.toBe(entries[at - 1]?.shape);
  });
});

describe('shapes', () => {
  it('are as large as each other, and not the same', () => {
    for (const radius of [3, 4.5, 6]) {
      const pictures = SHAPES.map((shape) => {
        const { cover } = shapeStamp(shape, radius);
        const area = cover.reduce((sum, each) => sum + each, 0) / 128;
        expect(area / (Math.PI * radius * radius), shape).toBeGreaterThan(0.85);
        expect(area / (Math.PI * radius * radius), shape).toBeLessThan(1.15);
        return [...cover].join();
      });
      expect(new Set(pictures).size).toBe(SHAPES.length);
    }
  });

  it('are drawn each where it belongs', () => {
    const draw = (shapes: number[]) => {
      const canvas = { pixels: new Int32Array(60 * 20), width: 60, height: 20 };
      drawPoints(canvas, { x: Float32Array.of(0.2, 0.8), y: Float32Array.of(0.5, 0.5), inks: Int32Array.of(-1, -1), above: null, shapes: Uint8Array.from(shapes), order: null }, { x: 0.5, y: 0.5, side: 50 }, 5, 0);
      const half = (from: number) => Array.from({ length: 20 }, (_, row) => [...canvas.pixels.slice(row * 60 + from, row * 60 + from + 30)].join()).join();
      return [half(0), half(30)];
    };
    const [disc, square] = draw([0, 1]);
    const [square2, disc2] = draw([1, 0]);
    expect(disc).not.toBe(square2);
    expect(square).not.toBe(disc2);
    expect(draw([1, 1])[0]).toBe(square2);
  });

  it('fade where they do not stand out', () => {
    const of = Uint8Array.of(0, 1, 0);
    const made = categoryInks(of, [0x0000ff, 0x00ff00], 0, both(Uint8Array.of(1, 1, 0), Uint8Array.of(1, 0, 1)));
    expect(made[0]).toBe(0x0000ff);
    expect((made[1] ?? 0) & 0xff00).toBeLessThan(0x4000);
    expect((made[2] ?? 0) & 0xff).toBeLessThan(0x40);
    expect(both(null, of)).toBe(of);
    expect(both(null, null)).toBeNull();
  });
});

describe('a map coloured by kinds of tracks', () => {
  const find = <E extends HTMLElement>(id: string): E | null => document.querySelector<E>(`[data-testid="${id}"]`);
  const until = async (held: () => unknown) => {
    for (let i = 0; i < 1000 && !held(); i++) await new Promise((done) => setTimeout(done, 10));
    flushSync();
    expect(Boolean(held())).toBe(true);
  };

  async function start(): Promise<{ app: App; items: Map<number, TrackItem>; rows: { asked: number } }> {
    const backend = recorded('library');
    const items = new Map((await tracksOf(backend)).map((item) => [item.id, item]));
    const app = new App(backend);
    const rows = { asked: 0 };
    const call = app.backend.call.bind(app.backend);
    app.backend.call = ((name: 'library.rows', args: { tracks: number[] }) => {
      if (name === 'library.rows') rows.asked += args.tracks.length;
      return call(name, args);
    }) as typeof call;
    show(AppView, { app });
    await until(() => app.ready);
    app.showPage('library');
    await until(() => app.library.view !== null);
    app.library.tab = 'map';
    flushSync();
    await app.library.questions.map.make();
    await until(() => find('map-canvas'));
    return { app, items, rows };
  }

  it.each(['genre', 'key'] as const)('tells what each track’s %s is, with names and counts in the legend', async (column) => {
    const { app, items, rows } = await start();
    const { map } = app.library.questions;
    map.colour = column;
    flushSync();
    await until(() => map.categories.found);
    const { entries, of } = map.categories.found!;
    expect(rows.asked).toBeLessThan(1200);
    map.data?.ids.forEach((id, point) => {
      const entry = entries[of[point] ?? -1];
      const value = items.get(id)?.[column];
      if (entry?.kind === 'rest') expect(entries.some((each) => each.value === value)).toBe(false);
      else expect(entry?.value).toBe(value);
    });
    const legend = find('map-legend')!;
    const buttons = [...legend.querySelectorAll<HTMLButtonElement>('button[aria-pressed]')];
    expect(buttons).toHaveLength(entries.length);
    buttons.forEach((button, at) => {
      const entry = entries[at]!;
      if (entry.kind === 'value') expect(button.textContent).toContain(entry.value!);
      expect(button.textContent).toContain(String(entry.count).slice(-3));
      expect(button.querySelector('svg')).not.toBeNull();
    });
    buttons[1]?.click();
    flushSync();
    expect([...map.categories.shown]).toEqual([1]);
    expect(buttons[1]?.getAttribute('aria-pressed')).toBe('true');
    find('map-kinds-all')?.click();
    flushSync();
    expect(map.categories.shown.size).toBe(0);
    // Who does not see colours hears the kind.
    const point = of.findIndex((kind) => entries[kind]?.kind === 'value');
    map.point = point;
    map.lookAt(point);
    await until(() => find('map-live')?.textContent?.endsWith(`, ${entries[of[point] ?? 0]?.value}`));
    map.colour = 'tempo_bpm';
    flushSync();
    expect(find('map-kind-0')).toBeNull();
    expect(find('map-legend')?.textContent).toContain('slower');
  });

  it('says why it cannot', async () => {
    const { app } = await start();
    const { map } = app.library.questions;
    const call = app.backend.call.bind(app.backend);
    app.backend.call = ((name: 'library.numbers', args: never) => (name === 'library.numbers' ? Promise.reject({ code: 'stored', message: 'the disk is gone', detail: null, notation: null }) : call(name, args))) as typeof call;
    map.colour = 'key';
    flushSync();
    await until(() => find('map-legend')?.textContent?.includes('the disk is gone'));
  });
});
