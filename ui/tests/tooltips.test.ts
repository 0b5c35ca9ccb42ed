import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Tooltips } from '../src/state/tooltips.svelte';

const REST = 500;
let end: () => void;
let tooltips: Tooltips;
let under: Element | null = null;

beforeEach(() => {
  vi.useFakeTimers();
  document.elementFromPoint = () => under;
  document.body.innerHTML = '<div id="tab" title="/music/a.wav"><button id="close" title="Close"></button><span id="name">a</span></div><p id="plain"></p>';
  tooltips = new Tooltips();
  end = tooltips.watch();
});
afterEach(() => {
  end();
  vi.useRealTimers();
  document.body.innerHTML = '';
});

const at = (id: string): HTMLElement => document.getElementById(id)!;
function over(id: string): void {
  under = at(id);
  under.dispatchEvent(new PointerEvent('pointerover', { bubbles: true, pointerType: 'mouse' }));
}

describe('a tooltip', () => {
  it('comes when the pointer rests, says what the innermost title says, and goes with the pointer', () => {
    over('close');
    expect(tooltips.tip).toBeNull();
    expect([at('close').title, at('tab').title], 'the web view shows none of its own').toEqual(['', '']);
    vi.advanceTimersByTime(REST);
    expect(tooltips.tip?.text).toBe('Close');
    over('name');
    expect(tooltips.tip).toBeNull();
    expect(at('close').title).toBe('Close');
    vi.advanceTimersByTime(REST);
    expect(tooltips.tip?.text).toBe('/music/a.wav');
    over('plain');
    expect([tooltips.tip, at('tab').title]).toEqual([null, '/music/a.wav']);
  });

  it('goes with a click or a key, and does not come again before the pointer does', () => {
    for (const [name, make] of [['pointerdown', () => new PointerEvent('pointerdown', { bubbles: true })], ['keydown', () => new KeyboardEvent('keydown', { key: 'F10', bubbles: true })]] as const) {
      over('close');
      vi.advanceTimersByTime(REST);
      expect(tooltips.tip, name).not.toBeNull();
      at('close').dispatchEvent(make());
      expect(tooltips.tip, name).toBeNull();
      over('close');
      vi.advanceTimersByTime(2 * REST);
      expect(tooltips.tip, name).toBeNull();
      over('plain');
      over('close');
      vi.advanceTimersByTime(REST);
      expect(tooltips.tip, name).not.toBeNull();
      over('plain');
    }
  });

  it('goes when something else comes under the pointer, or its element is gone', () => {
    over('close');
    vi.advanceTimersByTime(REST);
    // A dialog opens under a pointer that does not move.
    under = at('plain');
    vi.advanceTimersByTime(REST);
    expect(tooltips.tip).toBeNull();
    over('close');
    vi.advanceTimersByTime(REST);
    at('close').remove();
    under = at('tab');
    vi.advanceTimersByTime(REST);
    expect(tooltips.tip?.text).not.toBe('Close');
  });

  it('follows what its element says', async () => {
    over('close');
    vi.advanceTimersByTime(REST);
    at('close').title = 'Wait until this is done.';
    await vi.advanceTimersByTimeAsync(0);
    expect([tooltips.tip?.text, at('close').title]).toEqual(['Wait until this is done.', '']);
    over('plain');
    expect(at('close').title).toBe('Wait until this is done.');
  });
});
