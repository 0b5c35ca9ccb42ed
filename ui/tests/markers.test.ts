// Markers in the window: the strip, the list and the keys, on answers of the core.

import { describe, expect, it, vi } from 'vitest';
import { contextMenuFor } from '../src/commands/context/menus';
import { COMMANDS, isEnabled } from '../src/commands/table';
import type { App } from '../src/state/app.svelte';
import type { DocumentState } from '../src/state/document.svelte';
import { goToMarker, stepMarker } from '../src/pages/editor/state/marker-actions';
import { openDemo, settle } from './demo-window';
import { by, find, key } from './mounted';

const strip = () => [...document.querySelectorAll('[data-testid="marker-strip"] button')].map((each) => each.ariaLabel ?? each.getAttribute('aria-label'));
const rows = () => [...document.querySelectorAll<HTMLElement>('[data-testid="markers-list"] [data-about]')];
function type(field: HTMLInputElement, words: string, end = 'Enter'): void {
  field.focus();
  field.value = words;
  field.dispatchEvent(new Event('input', { bubbles: true }));
  key(field, end);
}

/** The demo with a marker at 1 s and a region from 2 to 3 s. */
async function marked(): Promise<{ app: App; active: DocumentState }> {
  const app = await openDemo('gain(-1 dB)');
  const { active } = app.documents;
  if (!active) throw new Error('nothing was opened');
  active.setCursor(48_000);
  key(document.body, 'm');
  await settle();
  type(by('marker-name'), 'Verse');
  await settle();
  active.dragSelection({ start: 96_000, end: 144_000 });
  key(document.body, 'b', { ctrlKey: true });
  await settle();
  key(by('marker-name'), 'Escape');
  await settle();
  return { app, active };
}

describe('markers', () => {
  it('have no strip while there are none, and the list says how to set one', async () => {
    await openDemo('gain(-1 dB)');
    expect(find('marker-strip')).toBeNull();
    key(document.body, 'm', { ctrlKey: true, shiftKey: true });
    await settle();
    expect(by('markers-empty').textContent).toMatch(/M sets one at the cursor.*Ctrl\+B makes a region/);
    expect(by<HTMLButtonElement>('markers-export').getAttribute('aria-disabled') ?? by<HTMLButtonElement>('markers-export').disabled).toBeTruthy();
  });

  it('are set at the cursor and on the selection, and named where they stand', async () => {
    const { active } = await marked();
    expect(strip()).toEqual(['Marker Verse, at 0:01.000', 'Region Region 1, 0:02.000 to 0:03.000']);
    expect(active.data.undo).toBe('Add region');
    // Every change is one step.
    key(document.body, 'z', { ctrlKey: true });
    await settle();
    expect(strip()).toEqual(['Marker Verse, at 0:01.000']);
    key(document.body, 'z', { ctrlKey: true });
    await settle();
    expect(strip()).toEqual(['Marker Marker 1, at 0:01.000']);
    key(document.body, 'z', { ctrlKey: true });
    await settle();
    expect(find('marker-strip')).toBeNull();
  });

  it('are gone to, named and deleted by the keys of the strip, which leave the sound alone', async () => {
    const { active } = await marked();
    const [verse] = active.markers.all;
    const item = by(`marker-${verse?.id}`);
    item.focus();
    key(item, 'Enter');
    expect([active.cursor, active.selection]).toEqual([48_000, null]);
    key(item, 'ArrowRight');
    expect(active.selection).toEqual({ start: 96_000, end: 144_000 });
    await settle();
    item.focus();
    key(item, 'F2');
    await settle();
    key(by('marker-name'), 'Escape');
    await settle();
    expect(find('marker-name')).toBeNull();
    by(`marker-${verse?.id}`).focus();
    key(by(`marker-${verse?.id}`), 'Delete');
    await settle();
    expect(strip()).toEqual(['Region Region 1, 0:02.000 to 0:03.000']);
    expect(active.data.frames).toBe(960_000);
  });

  it('are nudged by Shift and the arrow keys, as one step', async () => {
    const { active } = await marked();
    const [verse] = active.markers.all;
    const item = by(`marker-${verse?.id}`);
    item.focus();
    for (let times = 0; times < 3; times++) key(item, 'ArrowLeft', { shiftKey: true });
    expect(active.markers.all[0]?.start_frame).toBeLessThan(48_000);
    expect(active.markers.known[0]?.start_frame).toBe(48_000);
    key(item, 'Escape');
    expect(active.markers.all[0]?.start_frame).toBe(48_000);
  });

  it('are listed, found, moved by typing, and deleted in the list', async () => {
    const { app, active } = await marked();
    key(document.body, 'm', { ctrlKey: true, shiftKey: true });
    await settle();
    expect(by('markers-count').textContent).toBe('2 markers');
    expect(rows()).toHaveLength(2);
    const search = by<HTMLInputElement>('markers-search');
    search.value = 'vers';
    search.dispatchEvent(new Event('input', { bubbles: true }));
    await settle();
    expect([by('markers-count').textContent, rows().length]).toEqual(['1 of 2', 1]);
    search.value = '';
    search.dispatchEvent(new Event('input', { bubbles: true }));
    await settle();
    type(by('markers-start-1'), '0:04');
    await settle();
    expect(strip()[1]).toBe('Region Region 1, 0:04.000 to 0:05.000');
    type(by('markers-end-1'), '0:03');
    await settle();
    expect(by('markers-end-1-problem').textContent).toMatch(/behind the start/);
    key(by('markers-end-1'), 'Escape');
    type(by('markers-end-1'), '');
    await settle();
    expect(strip()[1]).toBe('Marker Region 1, at 0:04.000');
    const row = rows()[0]!;
    row.focus();
    key(row, 'ArrowDown');
    expect(active.markers.chosen?.name).toBe('Region 1');
    key(row, 'Delete');
    await settle();
    expect(strip()).toEqual(['Marker Verse, at 0:01.000']);
    expect(app.layout.markersOpen).toBe(true);
  });

  it('have a menu, and commands that know whether they can run', async () => {
    const { app, active } = await marked();
    const [verse, part] = active.markers.all;
    const titles = (id: number | undefined) => contextMenuFor(app, by(`marker-${id}`)).flat().map(({ title }) => title);
    expect(titles(verse?.id)).toEqual(['Go to it', 'Select to next marker', 'Rename', 'Delete', 'Show in list']);
    expect(titles(part?.id)).toEqual(['Go to it', 'Select region', 'Loop region', 'Rename', 'Delete', 'Show in list']);
    const can = (id: string) => isEnabled(COMMANDS.find((command) => command.id === id)!, app);
    active.setCursor(60_000);
    stepMarker(app, active, -1);
    expect(active.markers.chosenId).toBe(verse?.id);
    expect([can('marker-previous'), can('marker-next'), can('marker-loop')]).toEqual([false, true, false]);
    const playing = vi.spyOn(app.player, 'play').mockResolvedValue();
    vi.spyOn(app.player, 'setLoop').mockResolvedValue();
    goToMarker(app, active, part!);
    expect(can('marker-loop')).toBe(true);
    await COMMANDS.find((command) => command.id === 'marker-loop')?.run(app);
    await settle();
    expect(playing).toHaveBeenCalledWith(active, 96_000);
    expect(can('markers-delete-selected')).toBe(true);
  });
});
