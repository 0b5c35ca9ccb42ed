import { describe, expect, it } from 'vitest';
import { aroundSelection, fitted, followed, frameFromX, MIN_FRAMES, scrolled, selectionBetween, span, whole, xFromFrame, zoomed } from '../src/lib/view';

const FRAMES = 3 * 3600 * 96_000;

describe('zoom', () => {
  it('keeps the frame under the pointer under it, from hours to samples', () => {
    const width = 900;
    for (const anchor of [0.1, 0.37, 0.5, 0.9]) {
      let view = { start: FRAMES * 0.4, end: FRAMES * 0.6 };
      const under = frameFromX(anchor * width, view, width);
      while (span(view) > MIN_FRAMES * 1.5) {
        view = zoomed(view, 0.8, anchor, FRAMES);
        expect(Math.abs(xFromFrame(under, view, width) - anchor * width)).toBeLessThan(0.01);
      }
    }
  });

  it('stops at a dozen frames and at the whole', () => {
    const view = { start: 1000, end: 2000 };
    expect(span(zoomed(view, 1e-9, 0.5, FRAMES))).toBeCloseTo(MIN_FRAMES, 6);
    expect(zoomed(view, 1e12, 0.5, FRAMES)).toEqual({ start: 0, end: FRAMES });
  });
});

describe('the view', () => {
  it('never leaves the recording', () => {
    for (const by of [-1e12, -5, 5, 1e12]) {
      const view = scrolled({ start: 100, end: 600 }, by, 10_000);
      expect(view.start).toBeGreaterThanOrEqual(0);
      expect(view.end).toBeLessThanOrEqual(10_000);
      expect(span(view)).toBe(500);
    }
  });

  it('can be taken of recordings of no or one frame', () => {
    for (const frames of [0, 1]) {
      const view = whole(frames);
      expect(span(view)).toBe(MIN_FRAMES);
      expect(fitted(zoomed(view, 0.5, 0.5, frames), frames)).toEqual(view);
    }
  });

  it('turns a page after the play head and only then', () => {
    const view = { start: 1000, end: 2000 };
    expect(followed(view, 1500, 10_000)).toBeNull();
    const next = followed(view, 2000, 10_000);
    expect(next?.start).toBeCloseTo(1950, 6);
    expect(next && span(next)).toBeCloseTo(1000, 6);
  });

  it('shows a selection with air around it', () => {
    const view = aroundSelection({ start: 1000, end: 2000 }, 10_000);
    expect(view).toEqual({ start: 960, end: 2040 });
  });
});

describe('selections', () => {
  it('are in order, whole and inside', () => {
    expect(selectionBetween(20.4, 10.6, 100)).toEqual({ start: 11, end: 20 });
    expect(selectionBetween(-50, 500, 100)).toEqual({ start: 0, end: 100 });
    expect(selectionBetween(10.2, 10.4, 100)).toBeNull();
    expect(selectionBetween(500, 600, 100)).toBeNull();
  });
});
