// Clips in the lanes: what drags make of them, where drags snap, and what keys and menus do, on answers of the core.

import { flushSync } from 'svelte';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { ClipView } from '../src/bindings';
import { contextMenuFor } from '../src/commands/context/menus';
import { COMMANDS, isEnabled } from '../src/commands/table';
import { clipAt, draggedClip, dropOf, gainHeight, gainOfWay, nearestJoin, nextEdge, placedClips, shownClips, turnedClip, wholeClip, type PlacedClip } from '../src/lib/clips';
import { snapPlace, type SnapSource } from '../src/lib/snap';
import type { App } from '../src/state/app.svelte';
import type { DocumentState } from '../src/state/document.svelte';
import { openDemo, settle } from './demo-window';
import { by, key } from './mounted';

const view = (frames: number, change: Partial<ClipView> = {}): ClipView => {
  const { index: _index, start: _start, end: _end, ...clip } = wholeClip(frames);
  return { ...clip, ...change };
};
/** Sound to 100, silence to 150, sound to 250, and sound to 290 that does not continue it. */
const clips = placedClips([view(100, { after: 30 }), view(50, { source: null }), view(100, { before: 20, after: 5 }), view(40, { before: 10, crossfade: { frames: 8, shape: 'linear' }, fades_before: 4, fades_after: 4 })]);
const [first, , second, last] = clips as [PlacedClip, PlacedClip, PlacedClip, PlacedClip];
const plain = { shift: false, snap: (frame: number) => frame };

describe('clips', () => {
  it('lie one after the other, and are found by place', () => {
    expect(clips.map(({ start, end }) => [start, end])).toEqual([[0, 100], [100, 150], [150, 250], [250, 290]]);
    expect([0, 99, 100, 250, 999].map((frame) => clipAt(clips, frame)?.index)).toEqual([0, 0, 1, 3, 3]);
    expect([nextEdge(clips, 0, 1), nextEdge(clips, 100, 1), nextEdge(clips, 100, -1), nextEdge(clips, 290, 1), nextEdge(clips, 0, -1)]).toEqual([100, 150, 0, null, null]);
    expect([nearestJoin(clips, 90)?.index, nearestJoin(clips, 999)?.index, nearestJoin([wholeClip(10)], 0)]).toEqual([1, 3, null]);
    // Silence has no bar, and what is too narrow to be told apart neither.
    expect(shownClips(clips, { start: 0, end: 290 }, 290).map(({ clip }) => clip.index)).toEqual([0, 2, 3]);
    expect(shownClips(clips, { start: 0, end: 290 }, 15).map(({ clip, handles }) => [clip.index, handles])).toEqual([[0, false], [2, false]]);
  });

  it('are put between others, anywhere into silence, and with Shift into another', () => {
    expect(dropOf(clips, first, 20, false)).toBe(120);
    expect(dropOf(clips, first, -20, false)).toBeNull();
    // Past the middle of the next one it goes behind it.
    expect(dropOf(clips, first, 90, false)).toBe(150);
    expect(dropOf(clips, first, 110, false)).toBe(250);
    expect(dropOf(clips, first, 110, true)).toBe(210);
    expect(dropOf(clips, last, -30, false)).toBeNull();
    expect(dropOf(clips, last, -60, false)).toBe(150);
    expect(draggedClip(clips, first, 'move', 110, plain)).toMatchObject({ clip: { start: 150, end: 250 }, edit: { kind: 'move', to: 250 }, at: 250 });
    expect(draggedClip(clips, last, 'move', -60, plain)).toMatchObject({ clip: { start: 150, end: 190 }, edit: { kind: 'move', to: 150 } });
  });

  it('are trimmed to a frame, and made longer as far as their source goes', () => {
    const end = (by: number, shift = false) => draggedClip(clips, first, 'end', by, { ...plain, shift }).edit;
    expect([end(-999), end(12), end(999), end(-10, true), end(0)]).toEqual([
      { kind: 'end', by: -99, closes: false },
      { kind: 'end', by: 12, closes: false },
      { kind: 'end', by: 30, closes: false },
      { kind: 'end', by: -10, closes: true },
      null,
    ]);
    const start = (by: number) => draggedClip(clips, second, 'start', by, plain);
    expect([start(-999).edit, start(30).clip.frames]).toEqual([{ kind: 'start', by: -20, closes: false }, 70]);
    // Nothing is before the beginning.
    expect(draggedClip(placedClips([view(10, { before: 50 })]), { ...wholeClip(10), before: 50 }, 'start', -5, plain).edit).toBeNull();
    expect(draggedClip(clips, first, 'end', 17, { ...plain, snap: () => 110 }).edit).toEqual({ kind: 'end', by: 10, closes: false });
  });

  it('fade within what the other fade leaves, are turned by tenths of a decibel, and cross over at most their halves', () => {
    const faded = { ...second, fade_out: 40 };
    expect(draggedClip(clips, faded, 'fade_in', 999, plain).edit).toEqual({ kind: 'fade_in', frames: 60 });
    expect(draggedClip(clips, faded, 'fade_out', -10, plain).edit).toEqual({ kind: 'fade_out', frames: 50 });
    expect(draggedClip(clips, faded, 'fade_out', 99, plain).edit).toEqual({ kind: 'fade_out', frames: 0 });
    expect(turnedClip(second, -3.26).edit).toEqual({ kind: 'gain', db: -3.3 });
    expect(turnedClip(second, 0.01).edit).toBeNull();
    expect(turnedClip(second, 99).edit).toEqual({ kind: 'gain', db: 24 });
    // A line follows the pointer.
    expect(gainHeight(gainOfWay(100, 1000)) - gainHeight(0)).toBeCloseTo(0.1, 6);
    expect(draggedClip(clips, last, 'crossfade', 3, plain)).toMatchObject({ clip: { fades_before: 7, fades_after: 7 }, edit: { kind: 'crossfade', frames: 14, shape: 'linear' } });
    expect(draggedClip(clips, last, 'crossfade', 999, plain).edit).toEqual({ kind: 'crossfade', frames: 40, shape: 'linear' });
    expect(draggedClip(clips, last, 'crossfade', -999, plain).edit).toEqual({ kind: 'crossfade', frames: 0, shape: 'linear' });
  });
});

describe('snapping', () => {
  const all = { on: true, clips: true, markers: true, ruler: true, beats: true, zero_crossings: false };
  const none = { ...all, clips: false, markers: false, ruler: false, beats: false };
  const source: SnapSource = {
    view: { start: 0, end: 10_000 },
    rate: 1000,
    frames: 10_000,
    width: 1000,
    joins: [4015],
    markers: [{ id: 1, start_frame: 5030, end_frame: null, name: '', note: '' }, { id: 2, start_frame: 6010, end_frame: 7040, name: '', note: '' }],
    display: { time_ruler: 'time', bpm: 40, beats_per_bar: 4 },
  };

  it('finds what is near, what was put there before what is everywhere', () => {
    expect([4040, 5000, 7010, 9950].map((frame) => snapPlace(frame, all, source))).toEqual([4015, 5030, 7040, 10_000]);
    // The marker that is dragged is no target.
    expect(snapPlace(5020, all, source, 1)).toBe(5000);
    expect(snapPlace(2040, { ...none, ruler: true }, source)).toBe(2000);
    expect(snapPlace(3040, { ...none, beats: true }, source)).toBe(3000);
    expect(snapPlace(2040, { ...none, beats: true }, source)).toBeNull();
    expect(snapPlace(4015, none, source)).toBeNull();
  });
});

const enabled = (app: App, id: string): boolean => isEnabled(COMMANDS.find((command) => command.id === id)!, app);

/** The demo without its third second. */
async function cut(): Promise<{ app: App; active: DocumentState }> {
  const app = await openDemo('gain(-1 dB)');
  const { active } = app.documents;
  if (!active) throw new Error('nothing was opened');
  active.dragSelection({ start: 96_000, end: 144_000 });
  key(document.body, 'Delete');
  await settle();
  return { app, active };
}

describe('clips in the window', () => {
  // The test's document has no layout.
  beforeEach(() => {
    vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(900);
    return () => vi.restoreAllMocks();
  });

  it('have bars once there is more than one, with keys and a menu of their own', async () => {
    const { app, active } = await cut();
    expect(by('clips').dataset['count']).toBe('2');
    active.setCursor(48_000);
    expect(['clip-fade-in', 'clip-trim-end', 'clip-move-right', 'clip-move-left', 'clip-no-fades', 'clip-crossfade'].map((id) => enabled(app, id))).toEqual([true, true, true, false, false, true]);
    key(document.body, 'I', { altKey: true, shiftKey: true });
    await settle();
    expect(active.clips.all.map((clip) => clip.fade_in)).toEqual([48_000, 0]);
    expect(active.data.undo).toBe('Fade clip in');
    expect(by('clip-0').getAttribute('aria-label')).toMatch(/^Clip .*, 0:00\.000 to 0:02\.000, Fade-in 1 s$/);
    key(by('clip-0'), 'ArrowUp');
    await settle();
    expect(active.clips.all[0]?.gain_db).toBe(1);
    const titles = contextMenuFor(app, by('clip-0')).flat().map((entry) => entry.title);
    expect(titles).toEqual(expect.arrayContaining(['Fade clip in to cursor', 'Clip gain up 1 dB', 'Move clip behind the next one', 'Cross-fade of the join…']));
  });

  it('keep what keys do to an edge until they are let go', async () => {
    const { active } = await cut();
    const before = active.clips.all[0]?.frames ?? 0;
    key(by('clip-0'), 'ArrowLeft', { shiftKey: true });
    key(by('clip-0'), 'ArrowLeft', { shiftKey: true });
    expect(active.clips.drag?.edit).toMatchObject({ kind: 'end', closes: false });
    expect(active.clips.all[0]?.frames).toBe(before);
    const by2 = -(active.clips.drag?.edit?.kind === 'end' ? active.clips.drag.edit.by : 0);
    by('clip-0').dispatchEvent(new KeyboardEvent('keyup', { key: 'Shift', bubbles: true }));
    await settle();
    expect(active.clips.drag).toBeNull();
    expect(active.clips.all[0]?.frames).toBe(before - by2);
    expect(active.data.undo).toBe('Trim clip');
  });

  it('turns snapping on by its button and its key', async () => {
    const app = await openDemo('gain(-1 dB)');
    by('snap').click();
    flushSync();
    expect(app.settings.now.snap.on).toBe(true);
    key(document.body, 'N', { shiftKey: true });
    expect(app.settings.now.snap.on).toBe(false);
    await settle();
  });
});
