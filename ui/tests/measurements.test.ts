// Measurements as text, and what the wheel does over the lanes.

import { describe, expect, it, vi } from 'vitest';
import { COMMANDS, reasonOf } from '../src/commands/table';
import { tableText } from '../src/pages/editor/lib/table-text';
import { span } from '../src/lib/view';
import { text } from '../src/text/catalogue';
import { openDemo, settle } from './demo-window';

const command = (id: string) => COMMANDS.find((each) => each.id === id)!;

describe('measurements as text', () => {
  it('have a line for each value, with tabs, points and units', () => {
    const rows = [
      { name: 'RMS', value: -12.3456, unit: 'dBFS' },
      { name: 'Peak', value: null, unit: 'dBFS' },
      { name: 'Length', value: 1_234_567, unit: 'samples', decimals: 0 },
      { name: 'Zero', value: -0.001, unit: 'dB' },
      { name: 'Note', value: 'A4\t+3 ct' },
    ];
    expect(tableText([{ title: 'A\nB', rows }, { title: 'C', rows: [] }])).toBe('A B\nRMS\t-12.35\tdBFS\nPeak\t-inf\tdBFS\nLength\t1234567\tsamples\nZero\t0.00\tdB\nNote\tA4 +3 ct\n\nC\n');
  });

  it('are copied by commands, which say why they cannot', async () => {
    const app = await openDemo('gain(-1 dB)');
    const copied: string[] = [];
    vi.stubGlobal('navigator', { ...navigator, platform: 'Linux', clipboard: { writeText: async (words: string) => void copied.push(words) } });
    expect(reasonOf(command('copy-levels'), app)).toBe(text.reasons.noSelection && text.measurements.noLevels);
    expect(reasonOf(command('copy-spectrum'), app)).toBe(text.measurements.noSpectrum);
    expect(reasonOf(command('copy-heard-loudness'), app)).toBe(text.measurements.noneHeard);
    app.documents.active?.commitSelection({ start: 48_000, end: 96_000 });
    for (let tries = 0; tries < 30 && app.documents.active?.levels.selection.value == null; tries++) await settle();
    await command('copy-levels').run(app);
    const lines = (copied[0] ?? '').split('\n').map((line) => line.split('\t'));
    expect(lines[0]?.[0]).toContain('Selection');
    expect(lines).toContainEqual(['From', '1.000000', 's']);
    expect(lines).toContainEqual(['Length', '48000', 'samples']);
    expect(lines.find(([name]) => name === 'RMS')?.[1]).toMatch(/^-\d+\.\d\d$/);
    expect(lines.find(([name]) => name === 'RMS')?.[2]).toBe('dBFS');
    await command('copy-description').run(app);
    expect(copied[1]).toMatch(/Loudness\t-\d+\.\d\d\tLUFS/);
    expect(copied[1]).toMatch(/Strongest frequency 1\t\d+\.\d\d\tHz/);
    vi.unstubAllGlobals();
  });
});

describe('the wheel over the lanes', () => {
  it('scrolls and zooms as the settings say', async () => {
    const app = await openDemo('gain(-1 dB)');
    const document_ = app.documents.active!;
    const stage = document.querySelector<HTMLElement>('.stage')!;
    stage.getBoundingClientRect = () => ({ left: 0, top: 0, width: 1000, height: 300, right: 1000, bottom: 300, x: 0, y: 0, toJSON: () => '' });
    // The test's document leaves out which keys are held.
    const wheel = (init: WheelEventInit): WheelEvent => {
      const event = new WheelEvent('wheel', { deltaY: 60, bubbles: true, cancelable: true });
      for (const [name, value] of Object.entries({ clientX: 500, clientY: 100, ctrlKey: false, shiftKey: false, metaKey: false, ...init })) Object.defineProperty(event, name, { value });
      return event;
    };
    const turned = (init: WheelEventInit): string => {
      document_.setView({ start: 48_000, end: 96_000 });
      const held = init.ctrlKey === true;
      if (held) dispatchEvent(new KeyboardEvent('keydown', { key: 'Control' }));
      stage.dispatchEvent(wheel(init));
      if (held) dispatchEvent(new KeyboardEvent('keyup', { key: 'Control' }));
      const { view } = document_;
      return span(view) !== 48_000 ? 'zoom' : view.start !== 48_000 ? 'scroll' : 'nothing';
    };
    const all = () => [turned({}), turned({ ctrlKey: true }), turned({ shiftKey: true })];
    expect(all()).toEqual(['scroll', 'zoom', 'scroll']);
    await app.settings.save({ wheel: { plain: 'zoom', ctrl: 'scroll', shift: 'scroll' } });
    await settle();
    expect(all()).toEqual(['zoom', 'scroll', 'scroll']);
    // A pinch has Ctrl, which is not held.
    document_.setView({ start: 48_000, end: 96_000 });
    stage.dispatchEvent(wheel({ ctrlKey: true }));
    expect(span(document_.view)).not.toBe(48_000);
  });
});
