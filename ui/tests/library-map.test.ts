import { describe, expect, it } from 'vitest';
import { discRadius, fitting, held, panned, showing, toMap, toScreen, zoomedAt, zoomOf, type Box } from '../src/pages/library/lib/map-view';
import { PointGrid, type Direction } from '../src/pages/library/lib/point-grid';
import { App } from '../src/state/app.svelte';
import { recorded } from './recorded';

let seed = 11;
const random = (): number => {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff;
  return seed / 0x8000_0000;
};

function scattered(count: number, kind: 'even' | 'clustered' | 'few places'): PointGrid {
  const place = (): number => {
    if (kind === 'even') return random();
    if (kind === 'clustered') return Math.min(1, 0.3 + 0.02 * random() + (random() < 0.1 ? random() * 0.7 : 0));
    return Math.round(random() * 3) / 3;
  };
  return new PointGrid(Float32Array.from({ length: count }, place), Float32Array.from({ length: count }, place));
}

function nearestOfAll({ x, y, count }: PointGrid, px: number, py: number, within: number): number {
  let best = -1;
  let least = within * within;
  for (let point = 0; point < count; point++) {
    const far = ((x[point] ?? 0) - px) ** 2 + ((y[point] ?? 0) - py) ** 2;
    if (far < least || (far === least && best === -1)) {
      best = point;
      least = far;
    }
  }
  return best;
}

describe('the nearest point', () => {
  it.each(['even', 'clustered', 'few places'] as const)('is the one that looking at all would find, points lying %s', (kind) => {
    for (const count of [1, 2, 3, 17, 400, 3000]) {
      const grid = scattered(count, kind);
      for (let round = 0; round < 200; round++) {
        // Also from outside the map, where the pointer often is.
        const [px, py] = [random() * 1.6 - 0.3, random() * 1.6 - 0.3];
        const within = round % 3 === 0 ? Infinity : random() * 0.1;
        expect(grid.nearest(px, py, within)).toBe(nearestOfAll(grid, px, py, within));
      }
    }
  });

  it('is none where there is none', () => {
    const none = new PointGrid(new Float32Array(), new Float32Array());
    expect(none.nearest(0.5, 0.5)).toBe(-1);
    expect(none.towards(0, 'left')).toBe(-1);
    const one = new PointGrid(Float32Array.of(0.2), Float32Array.of(0.2));
    expect(one.nearest(0.9, 0.9, 0.1)).toBe(-1);
    expect(one.nearest(0.9, 0.9)).toBe(0);
  });

  it('bears places that are no numbers', () => {
    const grid = new PointGrid(Float32Array.of(NaN, 0.5, Infinity), Float32Array.of(0.5, 0.5, -Infinity));
    expect(grid.nearest(0.1, 0.1)).toBe(1);
    expect(grid.towards(1, 'left')).toBe(-1);
  });
});

describe('moving by direction', () => {
  const DIRECTIONS: Direction[] = ['left', 'right', 'up', 'down'];

  it('goes that way, more along than aside, and past nothing nearer', () => {
    const grid = scattered(500, 'even');
    for (let from = 0; from < 60; from++) {
      for (const direction of DIRECTIONS) {
        const to = grid.towards(from, direction);
        const way = (point: number): { along: number; aside: number } => {
          const dx = (grid.x[point] ?? 0) - (grid.x[from] ?? 0);
          const dy = (grid.y[point] ?? 0) - (grid.y[from] ?? 0);
          if (direction === 'left') return { along: -dx, aside: Math.abs(dy) };
          if (direction === 'right') return { along: dx, aside: Math.abs(dy) };
          return direction === 'up' ? { along: -dy, aside: Math.abs(dx) } : { along: dy, aside: Math.abs(dx) };
        };
        const candidates = Array.from({ length: grid.count }, (_, point) => point).filter((point) => point !== from && way(point).along > 0 && way(point).aside <= way(point).along);
        if (candidates.length === 0) expect(to).toBe(-1);
        else {
          expect(candidates).toContain(to);
          const cost = (point: number) => way(point).along + 2 * way(point).aside;
          expect(cost(to)).toBeCloseTo(Math.min(...candidates.map(cost)), 12);
        }
      }
    }
  });

  it('reaches points that lie on the same place', () => {
    const grid = new PointGrid(Float32Array.of(0.5, 0.5, 0.5, 0.9), Float32Array.of(0.5, 0.5, 0.5, 0.5));
    expect(grid.towards(0, 'right')).toBe(1);
    expect(grid.towards(1, 'right')).toBe(2);
    expect(grid.towards(2, 'right')).toBe(3);
    expect(grid.towards(2, 'left')).toBe(1);
    expect(grid.towards(0, 'left')).toBe(-1);
    expect(grid.towards(0, 'up')).toBe(-1);
  });
});

describe('an outline', () => {
  it('holds what lies in it, also where it is hollow', () => {
    const grid = new PointGrid(Float32Array.of(0.1, 0.5, 0.9, 0.5), Float32Array.of(0.1, 0.8, 0.9, 0.1));
    // A horseshoe that is open at the top.
    const outline = [[0, 0], [0.3, 0], [0.3, 0.6], [0.7, 0.6], [0.7, 0], [1, 0], [1, 1], [0, 1]].map(([x = 0, y = 0]) => ({ x, y }));
    expect(grid.inside(outline)).toEqual([0, 1, 2]);
    expect(grid.inside(outline.slice(0, 2))).toEqual([]);
  });
});

describe('the view of the map', () => {
  const box: Box = { width: 900, height: 500 };

  it('keeps what is under the pointer there while zooming', () => {
    let view = fitting(box);
    const at = { x: 610, y: 120 };
    const under = toMap(view, box, at);
    for (const factor of [1.2, 1.2, 3, 0.7]) view = zoomedAt(view, box, factor, at);
    const now = toScreen(view, box, under);
    expect(now.x).toBeCloseTo(at.x, 6);
    expect(now.y).toBeCloseTo(at.y, 6);
  });

  it('never loses the map', () => {
    let view = fitting(box);
    view = panned(view, box, 1e6, -1e6);
    expect([view.x, view.y]).toEqual([0, 1]);
    view = zoomedAt(view, box, 1e-9, { x: 0, y: 0 });
    expect(view.side).toBeCloseTo(fitting(box).side, 9);
    expect(held({ ...view, side: Infinity }, box).side).toBeLessThan(1e7);
  });

  it('moves only as far as a point needs to be seen', () => {
    const view = zoomedAt(fitting(box), box, 20, { x: 450, y: 250 });
    expect(showing(view, box, { x: view.x, y: view.y })).toBe(view);
    const moved = showing(view, box, { x: view.x + 0.2, y: view.y });
    const at = toScreen(moved, box, { x: view.x + 0.2, y: view.y });
    expect(at.x).toBeCloseTo(box.width - 48, 6);
  });

  it('draws points smaller the more there are, and larger the nearer one looks', () => {
    expect(discRadius(100_000, box, 1)).toBeLessThan(discRadius(1000, box, 1));
    expect(discRadius(100_000, box, 30)).toBeGreaterThan(discRadius(100_000, box, 1));
    expect(zoomOf(fitting(box), box)).toBe(1);
  });
});

describe('the map of a library', () => {
  const until = async (done: () => boolean) => {
    for (let i = 0; i < 400 && !done(); i++) await new Promise((next) => setTimeout(next, 10));
    expect(done()).toBe(true);
  };

  it('is laid out by a job, and keeps what was selected when it is laid out again', async () => {
    const backend = recorded('library');
    const app = new App(backend);
    await app.start();
    const { questions } = app.library;
    const { map } = questions;
    await map.load();
    expect(map.data).toBeNull();
    backend.still = true;
    await map.make();
    await until(() => questions.job('map')?.state === 'running');
    backend.still = false;
    await until(() => map.data !== null);
    map.point = 5;
    map.chosen = new Set([1, 5]);
    const [point, chosen] = [map.idOf(5), map.idsOf(map.chosen)];
    await map.make();
    const before = map.data;
    await until(() => map.data !== before);
    expect(map.idOf(map.point)).toBe(point);
    expect(map.idsOf(map.chosen)).toEqual(chosen);
  });

  it('is not laid out when that was cancelled', async () => {
    const app = new App(recorded('library'));
    await app.start();
    const { questions } = app.library;
    await questions.map.make();
    await until(() => questions.job('map') !== null);
    const job = questions.job('map');
    if (job) await questions.app.jobs.cancel(job);
    await until(() => questions.job('map')?.state === 'cancelled');
    await new Promise((next) => setTimeout(next, 150));
    expect(questions.map.data).toBeNull();
    expect(app.notices.toasts).toEqual([]);
  });

  it('marks what the table’s search finds, and nothing when nothing is searched for', async () => {
    const app = new App(recorded('library'));
    await app.start();
    const { map } = app.library.questions;
    await map.make();
    await until(() => map.data !== null);
    map.search({ text: 'genre:jazz', sort: [] });
    await until(() => map.matches !== null);
    const found = map.idsOf(map.matches ?? []);
    const rows = await app.backend.call('library.rows', { tracks: found });
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.every((row) => row.genre === 'Jazz')).toBe(true);
    map.search({ text: '', sort: [] });
    expect(map.matches).toBeNull();
  });
});
