import { describe, expect, it } from 'vitest';
import type { Backend } from '../src/backend';
import type { ModelKindView, ModelsView } from '../src/bindings';
import { App } from '../src/state/app.svelte';
import Shown from './ModelsShown.svelte';
import { by, find, settle, show } from './mounted';

const kind = (kind: ModelKindView['kind'], title: string, more: Partial<ModelKindView> = {}): ModelKindView => ({ kind, title, purpose: 'Codes sound at low bit rates', licence: 'MIT, code and weights.', source: 'On Hugging Face', is_confirmed: false, ...more });

const EMPTY: ModelsView = { folders: [], models: [], rejected: [], kinds: [kind('dac_44khz', 'DAC 44.1 kHz'), kind('htdemucs', 'htdemucs', { source: 'The package demucs' })] };

const FILLED: ModelsView = {
  ...EMPTY,
  folders: [
    { id: 0, name: '/home/ada/models', problem: null },
    { id: 1, name: '/home/ada/empty', problem: 'The folder contains no weight files.' },
  ],
  models: [
    { kind: 'dac_44khz', file: 'weights.pth', folder: 0, parameters: 76_651_890, bytes: 306_700_000 },
    { kind: 'htdemucs', file: '955717e8.th', folder: 0, parameters: 41_984_456, bytes: 84_000_000 },
  ],
  rejected: [{ file: 'other.pt', folder: 0, reason: 'The file names `posix.system`.' }],
};

/** A core that knows models alone. */
function core(view: ModelsView): { backend: Backend; asked: [string, unknown][]; view: ModelsView; fails: string | null } {
  const held = { view, asked: [] as [string, unknown][], fails: null as string | null };
  const answers: Record<string, (args: never) => unknown> = {
    'models.view': () => held.view,
    'models.add_folders': () => (held.view = FILLED),
    'models.remove_folder': ({ folder }: { folder: number }) => (held.view = { ...held.view, folders: held.view.folders.filter((own) => own.id !== folder) }),
    'models.confirm_licence': ({ kind, confirmed }: { kind: string; confirmed: boolean }) => (held.view = { ...held.view, kinds: held.view.kinds.map((own) => (own.kind === kind ? { ...own, is_confirmed: confirmed } : own)) }),
    'batch.take_drops': () => null,
    'settings.set': ({ settings }: { settings: unknown }) => settings,
  };
  const call = async (name: string, args: never) => {
    held.asked.push([name, args]);
    if (held.fails !== null) throw { code: 'io', message: held.fails, detail: null };
    const answer = answers[name];
    if (!answer) throw new Error(`${name} was asked`);
    return answer(args);
  };
  return Object.assign(held, { backend: { call } as unknown as Backend });
}

async function page(view: ModelsView) {
  const held = core(view);
  const app = new App(held.backend);
  show(Shown, { app });
  await settle();
  return { held, app };
}

describe('the page of models', () => {
  it('says what to do without folders, and where models can be had', async () => {
    await page(EMPTY);
    expect(by('models-empty').textContent).toContain('fetches none');
    expect(find('models-table')).toBeNull();
    expect(by('models-known').textContent).toContain('DAC 44.1 kHz');
    by('models-add').click();
    await settle();
    expect(find('models-empty')).toBeNull();
    expect(document.querySelectorAll('tbody tr').length).toBe(2);
  });

  it('shows each model with its size, parameters and licence, and what has none with the reason', async () => {
    await page(FILLED);
    const row = by('models-row-0').textContent ?? '';
    for (const part of ['DAC 44.1 kHz', 'weights.pth', '76.7 million', '307 MB', 'MIT, code and weights.']) expect(row).toContain(part);
    expect(by('models-problem-1').textContent).toContain('no weight files');
    expect(by('models-rejected').textContent).toContain('posix.system');
  });

  it('keeps that a licence was read, and takes it back', async () => {
    const { held } = await page(FILLED);
    const box = () => by('models-confirm-0') as HTMLInputElement;
    expect(box().checked).toBe(false);
    expect(box().getAttribute('aria-label')).toContain('DAC 44.1 kHz');
    for (const confirmed of [true, false]) {
      box().click();
      await settle();
      expect(box().checked).toBe(confirmed);
      expect(held.asked.at(-1)).toEqual(['models.confirm_licence', { kind: 'dac_44khz', confirmed }]);
    }
  });

  it('forgets a folder, and looks again', async () => {
    const { held } = await page(FILLED);
    by('models-remove-1').click();
    await settle();
    expect(held.asked.at(-1)).toEqual(['models.remove_folder', { folder: 1 }]);
    expect(find('models-remove-1')).toBeNull();
    by('models-again').click();
    await settle();
    expect(held.asked.at(-1)).toEqual(['models.view', {}]);
  });

  it('says why it has nothing to show, and tries again', async () => {
    const held = core(FILLED);
    held.fails = 'The settings cannot be read.';
    show(Shown, { app: new App(held.backend) });
    await settle();
    expect(by('models-failure').textContent).toContain('settings cannot be read');
    held.fails = null;
    document.querySelector<HTMLButtonElement>('.again')?.click();
    await settle();
    expect(find('models-failure')).toBeNull();
    by('models-table');
  });

  it('goes back to the page from which it was opened', async () => {
    const { app } = await page(EMPTY);
    app.page = 'batch';
    app.showPage('models');
    app.showPage('help');
    app.help.leave();
    expect(app.page).toBe('models');
    app.models.leave();
    expect(app.page).toBe('batch');
    app.showPage('help');
    app.showPage('models');
    app.models.leave();
    expect(app.page, 'through the help').toBe('batch');
  });
});
