// Selecting while a change of the sound is under way: the change acts on what was selected before, and what is selected
// meanwhile stays.

import { describe, expect, it, vi } from 'vitest';
import type { Backend } from '../src/backend';
import type { DocumentView, FrameRange } from '../src/bindings';
import { App } from '../src/state/app.svelte';
import type { DocumentState } from '../src/state/document.svelte';
import { recorded } from './recorded';

/** Lets everything run that waits for no answer. */
const rest = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** A core that answers to changes of the sound when the test lets it, and makes them in the order it is asked. */
class SlowCore {
  readonly asked: string[] = [];
  private readonly held: (() => void)[] = [];
  refuses = false;

  constructor(private view: DocumentView) {}

  async answer(name: string, args: { selection?: FrameRange | null }): Promise<unknown> {
    if (name === 'editor.set_view') return null;
    if (name === 'editor.set_selection') {
      this.asked.push(`select ${said(args.selection ?? null)}`);
      if (this.refuses) throw { code: 'invalid', message: 'no', detail: null, notation: null };
      return this.changed({ selection: args.selection ?? null });
    }
    const { selection } = this.view;
    this.asked.push(`${name} ${said(selection)}`);
    await new Promise<void>((resolve) => this.held.push(resolve));
    return this.changed({ selection: null, frames: this.view.frames - (selection ? selection.end - selection.start : 0) });
  }

  /** Answers the oldest change. */
  async makes(): Promise<void> {
    this.held.shift()?.();
    await rest();
  }

  private changed(change: Partial<DocumentView>): DocumentView {
    this.view = { ...this.view, ...change, revision: this.view.revision + 1 };
    return this.view;
  }
}

const said = (selection: FrameRange | null): string => (selection ? `${selection.start} to ${selection.end}` : 'nothing');

async function opened(): Promise<{ core: SlowCore; document: DocumentState }> {
  const backend: Backend = recorded('demo');
  const app = new App(backend);
  await app.start();
  await app.documents.open('demo');
  const document = app.documents.active;
  if (!document) throw new Error('nothing was opened');
  const core = new SlowCore(document.data);
  const { call } = backend;
  vi.spyOn(backend, 'call').mockImplementation(((name: string, args: object) =>
    ['editor.set_view', 'editor.set_selection', 'editor.edit_sound', 'editor.undo'].includes(name) ? core.answer(name, args) : call.call(backend, name as never, args as never)) as typeof call);
  return { core, document };
}

const remove = (document: DocumentState): Promise<void> => document.editSound({ kind: 'delete' });

describe('what is selected', () => {
  it('during an undo stays, and is told once that is made', async () => {
    const { core, document } = await opened();
    const undone = document.undo();
    document.commitSelection({ start: 1000, end: 3000 });
    await rest();
    expect(core.asked).toEqual(['editor.undo nothing']);
    await core.makes();
    await undone;
    expect(core.asked).toEqual(['editor.undo nothing', 'select 1000 to 3000']);
    expect(document.selection).toEqual({ start: 1000, end: 3000 });
    expect(document.data.selection).toEqual({ start: 1000, end: 3000 });
  });

  it('during a deletion is not what is deleted, but what the next one deletes', async () => {
    const { core, document } = await opened();
    document.commitSelection({ start: 0, end: 1000 });
    const changes = [remove(document)];
    document.commitSelection({ start: 5000, end: 7000 });
    changes.push(remove(document));
    document.commitSelection({ start: 200, end: 300 });
    for (let change = 0; change < 2; change++) {
      await rest();
      await core.makes();
    }
    await Promise.all(changes);
    await rest();
    expect(core.asked.filter((each) => each.startsWith('editor.edit_sound'))).toEqual(['editor.edit_sound 0 to 1000', 'editor.edit_sound 5000 to 7000']);
    expect(core.asked.at(-1)).toBe('select 200 to 300');
    expect(document.selection).toEqual({ start: 200, end: 300 });
  });

  it('beyond what a change leaves ends where that does', async () => {
    const { core, document } = await opened();
    const { frames } = document.data;
    document.commitSelection({ start: 0, end: frames - 2000 });
    const change = remove(document);
    document.commitSelection({ start: 1000, end: 5000 });
    await rest();
    await core.makes();
    await change;
    expect(document.selection).toEqual({ start: 1000, end: 2000 });
  });

  it('is told at once while nothing changes, and of many only the first and the last', async () => {
    const { core, document } = await opened();
    for (let end = 2000; end < 2010; end++) document.commitSelection({ start: 1000, end });
    await rest();
    expect(core.asked.length).toBeLessThanOrEqual(2);
    expect(core.asked.at(-1)).toBe('select 1000 to 2009');
    expect(document.data.selection).toEqual({ start: 1000, end: 2009 });
  });

  it('is what the core knows again when it refuses', async () => {
    const { core, document } = await opened();
    document.commitSelection({ start: 1000, end: 2000 });
    await rest();
    core.refuses = true;
    document.commitSelection({ start: 5000, end: 6000 });
    await rest();
    expect(document.selection).toEqual({ start: 1000, end: 2000 });
  });
});
