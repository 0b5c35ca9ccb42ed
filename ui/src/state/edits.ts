// Edits on their way to the core: one at a time and in order; of a drag only the latest position waits.

import type { DocumentView, Edit } from '../bindings';
import { supersedes } from '../lib/chain';

export interface EditPort {
  send(edit: Edit): Promise<DocumentView>;
  /** An edit was made. */
  made(view: DocumentView): void;
  refused(reason: unknown, edit: Edit): void;
  /** Edits that are not made yet, for showing them at once. */
  pending(edits: Edit[]): void;
}

export class EditQueue {
  private waiting: Edit[] = [];
  private flying: Edit | null = null;
  private done: (() => void)[] = [];

  constructor(private readonly port: EditPort) {}

  push(edit: Edit): void {
    const last = this.waiting.at(-1);
    if (last && supersedes(edit, last)) this.waiting[this.waiting.length - 1] = edit;
    else this.waiting.push(edit);
    this.port.pending(this.unmade());
    if (!this.flying) void this.run();
  }

  /** Settles once everything is made. */
  idle(): Promise<void> {
    if (!this.flying && this.waiting.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.done.push(resolve));
  }

  private unmade(): Edit[] {
    return this.flying ? [this.flying, ...this.waiting] : [...this.waiting];
  }

  private async run(): Promise<void> {
    for (let edit = this.waiting.shift(); edit; edit = this.waiting.shift()) {
      this.flying = edit;
      try {
        const view = await this.port.send(edit);
        this.flying = null;
        this.port.pending(this.unmade());
        this.port.made(view);
      } catch (reason) {
        this.flying = null;
        this.port.pending(this.unmade());
        this.port.refused(reason, edit);
      }
    }
    const done = this.done;
    this.done = [];
    for (const resolve of done) resolve();
  }
}

let gesture = Math.floor(Math.random() * 0x3fffffff);

/** A number for a new drag: its edits are one step of undo. */
export function newGesture(): number {
  return ++gesture;
}
