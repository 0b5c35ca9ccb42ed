import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HEAL_LONGEST_S } from '../src/bindings';
import { COMMANDS, isEnabled, reasonOf } from '../src/commands/table';
import { costOf } from '../src/pages/editor/lib/cost';
import { App } from '../src/state/app.svelte';
import { openDemo, settle } from './demo-window';
import { find } from './mounted';
import { recorded } from './recorded';

const command = (id: string) => COMMANDS.find((each) => each.id === id)!;

describe('a command that cannot run', () => {
  it.each(['editor', 'library', 'batch', 'help'] as const)('says why, on the page %s', async (page) => {
    const app = new App(recorded('empty'));
    await app.start();
    app.page = page;
    const off = COMMANDS.filter((each) => !isEnabled(each, app));
    expect(off.length).toBeGreaterThan(20);
    for (const each of off) expect(reasonOf(each, app), each.id).toMatch(/^\p{Lu}.+[.)]$/u);
    for (const each of COMMANDS.filter((each) => isEnabled(each, app))) expect(reasonOf(each, app), each.id).toBeNull();
  });

  it('is off with its reason where it stands: heal on a part that is too long', async () => {
    const app = await openDemo('gain(-3 dB)');
    const open = app.documents.active!;
    const { rate } = open.data;
    open.dragSelection({ start: 0, end: Math.round((HEAL_LONGEST_S + 0.5) * rate) }, { low_hz: 100, high_hz: 1000 });
    await settle();
    const heal = find('repair-spectral_heal') as HTMLButtonElement;
    expect(heal.disabled).toBe(true);
    expect(heal.title).toBe('Heal works on up to 4 s. Select a shorter part.');
    expect(reasonOf(command('spectral_heal'), app)).toBe(heal.title);
    expect((find('repair-spectral_gain') as HTMLButtonElement).disabled).toBe(false);
    open.dragSelection({ start: 0, end: rate }, { low_hz: 100, high_hz: 1000 });
    await settle();
    expect(heal.disabled).toBe(false);
  });

  it('has its reason in the palette', async () => {
    const app = await openDemo('gain(-3 dB)');
    app.dialogs.open = 'palette';
    await settle();
    const row = find('palette-spectral_heal');
    expect(row?.getAttribute('aria-disabled')).toBe('true');
    expect(row?.textContent).toContain('Select a part of the recording first.');
  });
});

describe('a control that can be off', () => {
  const SOURCE = join(import.meta.dirname, '../src');
  const components = (readdirSync(SOURCE, { recursive: true }) as string[]).filter((name) => name.endsWith('.svelte'));

  it.each(components)('has a tooltip that says why, in %s', (name) => {
    const markup = readFileSync(join(SOURCE, name), 'utf8').replace(/<script[^]*?<\/script>|<style[^]*?<\/style>/g, '');
    const tags = markup.match(/<[A-Za-z][\w.:]*(?:"[^"]*"|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}|[^>"{])*>/g) ?? [];
    // A whole form is off while its reason stands beside it; a menu without content has nothing to say.
    const silent = tags.filter((tag) => /[\s{]disabled[=}]/.test(tag) && !/title=|<fieldset|<ContextMenu\.Trigger|<Select\.Root/.test(tag));
    expect(silent).toEqual([]);
  });
});

describe('what an effect costs', () => {
  it('is a word on its slot, with the figure in the tooltip', async () => {
    expect([5000, 100, 99, 10, 9.9, 0.5].map(costOf)).toEqual(['light', 'light', 'moderate', 'moderate', 'heavy', 'heavy']);
    const app = await openDemo('gain(-3 dB)');
    const open = app.documents.active!;
    // Speeds measured on this machine are not recorded.
    open.report = { ...open.report!, nodes: open.report!.nodes.map((node) => ({ ...node, times_real_time: 42 })) };
    await settle();
    const cost = find('cost-1');
    expect(cost?.textContent).toBe('moderate');
    expect(cost?.title).toMatch(/^Takes some of the computer’s time\nRuns on .+ at 42× real time$/);
  });
});
