// The settings of keys: what is searched, which key is being pressed, and what becomes of one that others have.

import { groupOf, holdersOf, isChanged, keysOf, withKeys, written } from '../commands/keymap';
import { KEY_SLOTS, type KeySlot } from '../commands/scopes';
import { comboFromEvent, isModifier, shownCombo } from '../lib/keys';
import { search } from '../lib/search';
import { text } from '../text/catalogue';
import { said } from '../text/core-words';
import type { App } from './app.svelte';

export type KeyFilter = keyof typeof text.keyboard.filters;

/** A key that was pressed for a slot, in place of another of its keys if there is one. */
interface Pressed {
  slot: KeySlot;
  combo: string;
  replaces: string | null;
  others: KeySlot[];
}

const t = text.keyboard;

/** The name of a slot in sentences: where its command has several, with the part of the window. */
export const nameOf = ({ id, command, scope }: KeySlot): string => (id === command.id && scope === null ? command.title : `${command.title} (${groupOf(command, scope)})`);
export const namesOf = (slots: KeySlot[]): string => slots.map(nameOf).join(', ');

export class KeyEditing {
  query = $state('');
  filter: KeyFilter = $state('all');
  /** The key by which commands are looked for. */
  sought: string | null = $state(null);
  /** Whether the next key is the one to look for. */
  seeking = $state(false);
  /** The slot that gets the next key, and the key that it replaces. */
  awaited: { slot: KeySlot; replaces: string | null } | null = $state.raw(null);
  /** A key that other commands have, until the user says whose it is. */
  asked: Pressed | null = $state.raw(null);
  /** Why the key that was pressed cannot be had. */
  problem: string | null = $state(null);
  /** The outcome of the last import or export. */
  message: string | null = $state(null);

  /** The slots that are shown, by groups. */
  readonly groups: [string, KeySlot[]][] = $derived.by(() => {
    const rows = this.found().map((slot) => ({ slot, title: slot.command.title, words: `${groupOf(slot.command, slot.scope)} ${text.palette.answers[slot.command.id]?.words ?? ''}` }));
    const groups = new Map<string, KeySlot[]>();
    for (const { slot } of search(rows, this.query)) {
      const group = groupOf(slot.command, slot.scope);
      groups.set(group, [...(groups.get(group) ?? []), slot]);
    }
    return [...groups];
  });
  readonly changed: KeySlot[] = $derived.by(() => KEY_SLOTS.filter((slot) => isChanged(this.app, slot)));

  constructor(private readonly app: App) {}

  private found(): KeySlot[] {
    const { app, filter, sought } = this;
    const fits: Record<KeyFilter, (slot: KeySlot) => boolean> = {
      all: () => true,
      changed: (slot) => isChanged(app, slot),
      conflicts: (slot) => this.conflicts(slot).length > 0,
      without: (slot) => keysOf(app, slot.id).length === 0,
    };
    return KEY_SLOTS.filter((slot) => fits[filter](slot) && (sought === null || keysOf(app, slot.id).includes(sought)));
  }

  /** The keys of a slot that others have too, in the same place. */
  conflicts(slot: KeySlot): { combo: string; others: KeySlot[] }[] {
    return keysOf(this.app, slot.id)
      .map((combo) => ({ combo, others: holdersOf(this.app, slot, combo) }))
      .filter(({ others }) => others.length > 0);
  }

  /** Waits for the key of a slot. */
  begin(slot: KeySlot, replaces: string | null = null): void {
    this.cancel();
    this.awaited = { slot, replaces };
  }

  cancel(): void {
    this.awaited = this.asked = null;
    this.seeking = false;
    this.problem = null;
  }

  /** Takes the key that is pressed. Returns whether it was taken, or cancelled. */
  press(event: KeyboardEvent): boolean {
    event.preventDefault();
    event.stopPropagation();
    if (isModifier(event.key) || event.repeat) return false;
    if (event.key === 'Escape') {
      this.cancel();
      return true;
    }
    this.problem = ['Dead', 'Unidentified', 'Process'].includes(event.key) ? t.refused.unknown : event.key === 'Tab' && !event.ctrlKey && !event.altKey && !event.metaKey ? t.refused.tab : null;
    if (this.problem !== null) return false;
    const combo = comboFromEvent(event);
    if (this.seeking) {
      this.sought = combo;
      this.seeking = false;
      return true;
    }
    if (!this.awaited) return true;
    const { slot, replaces } = this.awaited;
    const others = holdersOf(this.app, slot, combo);
    this.awaited = null;
    if (others.length > 0 && combo !== replaces) this.asked = { slot, combo, replaces, others };
    else void this.assign(slot, combo, replaces);
    return true;
  }

  /** Answers whose the key is: the new command's alone, or of both. */
  answer(take: boolean): void {
    const { asked } = this;
    this.asked = null;
    if (asked) void this.assign(asked.slot, asked.combo, asked.replaces, take ? asked.others.filter((other) => !other.fixed) : []);
  }

  private assign(slot: KeySlot, combo: string, replaces: string | null, from: KeySlot[] = []): Promise<void> {
    const now = keysOf(this.app, slot.id).filter((key) => key !== combo || key === replaces);
    const keys = replaces === null ? [...now, combo] : now.map((key) => (key === replaces ? combo : key));
    const changes = new Map(from.map((other) => [other.id, keysOf(this.app, other.id).filter((key) => key !== combo)]));
    return this.save(changes.set(slot.id, keys));
  }

  remove(slot: KeySlot, combo: string): void {
    void this.save(new Map([[slot.id, keysOf(this.app, slot.id).filter((key) => key !== combo)]]));
  }

  reset(...slots: KeySlot[]): void {
    void this.save(new Map(slots.map((slot) => [slot.id, slot.standard])));
  }

  async import(): Promise<void> {
    const found = await this.app.notices.attempt(() => this.app.backend.call('settings.import_keys', {}));
    if (!found) return;
    // A file has all keys: what it does not name is the standard.
    const plain = { ...this.app.settings.now.keys, commands: {} };
    await this.app.settings.save({ keys: withKeys(plain, new Map(Object.entries(found.keys.commands))) });
    this.message = found.problems.length === 0 ? t.imported(found.name) : t.importedSome(found.name, found.problems.map((problem) => said(problem)).join('; '));
  }

  async export(): Promise<void> {
    const name = await this.app.notices.attempt(() => this.app.backend.call('settings.export_keys', { keys: written(this.app) }));
    if (name) this.message = t.exported(name);
  }

  /** The key that is looked for, in words. */
  readonly soughtWords: string | null = $derived.by(() => (this.sought === null ? null : t.foundBy(shownCombo(this.sought))));

  private save(changes: ReadonlyMap<string, string[]>): Promise<void> {
    this.message = null;
    return this.app.settings.save({ keys: withKeys(this.app.settings.now.keys, changes) });
  }
}
