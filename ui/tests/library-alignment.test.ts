import { describe, expect, it } from 'vitest';
import { aligned, firstBoth, ownTimes, relative, SAME_PLACE, sideBySide, type Placement } from '../src/pages/library/lib/alignment';

// A source of numbers that is the same in every run.
let seed = 7;
const random = (from: number, to: number): number => {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff;
  return from + ((to - from) * seed) / 0x7fff_ffff;
};

describe('two copies on one time', () => {
  it('lie over each other when nothing was cut', () => {
    const { a, b, both, duration_s, offsets_s } = aligned(60, 60, SAME_PLACE);
    expect([a, b, both]).toEqual([{ start_s: 0, end_s: 60 }, { start_s: 0, end_s: 60 }, { start_s: 0, end_s: 60 }]);
    expect([duration_s, offsets_s.a, offsets_s.b]).toEqual([60, 0, 0]);
  });

  it('begin where the earlier one begins: a cut copy comes in later', () => {
    // Its beginning was cut by 4 s: what the first plays at 4 s it plays at 0.
    const { a, b, offsets_s } = aligned(60, 50, { offset_s: -4, speed: 1 });
    expect(a).toEqual({ start_s: 0, end_s: 60 });
    expect(b).toEqual({ start_s: 4, end_s: 54 });
    expect(offsets_s).toEqual({ a: 0, b: -4 });
  });

  it('begin with the second where that has more before', () => {
    const { a, b, both, offsets_s, duration_s } = aligned(60, 65, { offset_s: 5, speed: 1 });
    expect(a).toEqual({ start_s: 5, end_s: 65 });
    expect(b).toEqual({ start_s: 0, end_s: 65 });
    expect(both).toEqual({ start_s: 5, end_s: 65 });
    expect([offsets_s.a, offsets_s.b, duration_s]).toEqual([-5, 0, 65]);
  });

  it('take a faster copy as long as it is at the speed of the first', () => {
    const { b, offsets_s } = aligned(102, 100, { offset_s: -10, speed: 1.02 });
    expect(b.start_s).toBeCloseTo(10.2, 9);
    expect(b.end_s).toBeCloseTo(112.2, 9);
    expect(offsets_s.b).toBeCloseTo(-10, 9);
  });

  it('play at every moment what belongs together, at any offset and speed', () => {
    for (let round = 0; round < 200; round++) {
      const placement: Placement = { offset_s: random(-90, 90), speed: random(0.95, 1.05) };
      const found = aligned(random(1, 400), random(1, 400), placement);
      expect(Math.min(found.a.start_s, found.b.start_s)).toBe(0);
      for (let at = 0; at <= found.duration_s; at += found.duration_s / 7) {
        const own = ownTimes(found, at);
        // The definition: what the first plays at t, the second plays at offset + t / speed.
        expect(own.b).toBeCloseTo(placement.offset_s + own.a / placement.speed, 6);
        // And so plays the core, to which offsets and the speed of playing are given.
        expect(found.offsets_s.a + at).toBeCloseTo(own.a, 6);
        expect(found.offsets_s.b + at / found.speed).toBeCloseTo(own.b, 6);
      }
      if (found.both) {
        expect(found.both.start_s).toBeGreaterThanOrEqual(Math.max(found.a.start_s, found.b.start_s));
        expect(found.both.end_s).toBeLessThanOrEqual(Math.min(found.a.end_s, found.b.end_s));
        expect(firstBoth(found)).toBe(found.both.start_s);
      }
    }
  });

  it('are placed to each other through a third', () => {
    for (let round = 0; round < 100; round++) {
      const one: Placement = { offset_s: random(-30, 30), speed: random(0.95, 1.05) };
      const other: Placement = { offset_s: random(-30, 30), speed: random(0.95, 1.05) };
      const between = relative(one, other);
      const t = random(0, 200);
      const own = one.offset_s + t / one.speed;
      expect(between.offset_s + own / between.speed).toBeCloseTo(other.offset_s + t / other.speed, 6);
      const back = relative(other, one);
      expect(back.speed * between.speed).toBeCloseTo(1, 9);
    }
  });

  it('know when they never sound together', () => {
    const found = aligned(10, 10, { offset_s: -30, speed: 1 });
    expect(found.both).toBeNull();
    expect(found.duration_s).toBe(40);
    expect(firstBoth(found)).toBe(0);
  });

  it('bear lengths that are not known and speeds that cannot be', () => {
    for (const speed of [0, -1, NaN, Infinity]) {
      const found = aligned(null, NaN, { offset_s: NaN, speed });
      expect([found.duration_s, found.speed, found.both]).toEqual([0, 1, null]);
      expect(Object.is(found.offsets_s.b, -0)).toBe(false);
    }
  });

  it('of different recordings stand with a third of each at the same moment', () => {
    const found = sideBySide(90, 300);
    const at = found.a.start_s + 30;
    expect(ownTimes(found, at)).toEqual({ a: 30, b: 100 });
  });
});
