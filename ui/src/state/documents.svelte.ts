// The open documents, in the order of their tabs, and the one in front.

import type { Backend } from '../backend';
import type { DocumentView, Edit, Opened, RecentFile, Side, WaveformView } from '../bindings';
import { walk } from '../lib/chain';
import { text } from '../text/catalogue';
import { DocumentState } from './document.svelte';
import type { Notices } from './notices.svelte';
import type { Player } from './player.svelte';

export class Documents {
  all: DocumentState[] = $state.raw([]);
  activeId: number | null = $state(null);
  recent: RecentFile[] = $state.raw([]);
  /** The name of the document that was closed last and can be opened again. */
  lastClosed: string | null = $state(null);
  /** The document that was closed by the last thing the user did. A step back means it, not the one that came to the front. */
  private closedJustNow: string | null = null;
  readonly active: DocumentState | null = $derived(this.all.find((each) => each.id === this.activeId) ?? null);
  /** The last news of each waveform. */
  private readonly waveforms = new Map<number, WaveformView>();
  /** Messages about files that were not opened. */

  constructor(
    private readonly backend: Backend,
    private readonly notices: Notices,
    private readonly player: Player,
    /** Called when documents were opened. */
    private readonly onOpened: () => void,
  ) {}

  /** Takes the documents of the last start. */
  begin(documents: DocumentView[], active: number | null, recent: RecentFile[], lastClosed: string | null): void {
    this.all = documents.map((data) => this.made(data));
    this.activeId = active ?? this.all[0]?.id ?? null;
    this.recent = recent;
    this.lastClosed = lastClosed;
  }

  find(id: number): DocumentState | undefined {
    return this.all.find((each) => each.id === id);
  }

  takeWaveform(id: number, side: Side, waveform: WaveformView): void {
    if (side === 'original') this.waveforms.set(id, waveform);
    this.find(id)?.takeWaveform(side, waveform);
  }

  take(opened: Opened): void {
    for (const data of opened.documents) {
      const known = this.find(data.id);
      if (known) known.adopt(data);
      else this.all = [...this.all, this.made(data)];
    }
    const last = opened.documents.at(-1);
    if (last) this.activate(last.id);
    if (last) this.onOpened();
    this.lastClosed = opened.last_closed;
    // Earlier failures to open matter no more once something is opened.
    if (opened.documents.length > 0) this.notices.end('opening');
    for (const { name, failure } of opened.failures) {
      const message = text.opening.failed(name, failure.message);
      this.notices.tell('error', message, 'opening', failure.detail);
    }
    void this.notices.attempt(async () => (this.recent = await this.backend.call('workspace.recent', {})));
  }

  async open(how: 'dialog' | 'demo' | { recent: number }): Promise<void> {
    await this.notices.attempt(async () => {
      if (how === 'dialog') this.take(await this.backend.call('workspace.open_dialog', {}));
      else if (how === 'demo') this.take(await this.backend.call('workspace.open_demo', {}));
      else this.take(await this.backend.call('workspace.open_recent', { id: how.recent }));
    });
  }

  activate(id: number): void {
    if (this.activeId === id) return;
    this.activeId = id;
    void this.notices.attempt(() => this.backend.call('workspace.activate_document', { document: id }));
  }

  /** Puts a document at a place among the tabs. */
  move(id: number, to: number): void {
    const moved = this.find(id);
    const others = this.all.filter((each) => each.id !== id);
    if (!moved || this.all.indexOf(moved) === to) return;
    this.all = [...others.slice(0, to), moved, ...others.slice(to)];
    void this.notices.attempt(() => this.backend.call('workspace.reorder_documents', { documents: this.all.map((each) => each.id) }));
  }

  async closeOthers(id: number): Promise<void> {
    for (const each of this.all.filter((other) => other.id !== id)) await this.close(each.id);
  }

  async close(id: number): Promise<void> {
    const index = this.all.findIndex((each) => each.id === id);
    const closing = this.all[index];
    if (!closing) return;
    this.closedJustNow = closing.data.name;
    await this.notices.attempt(async () => {
      // Changes under way are kept too.
      await closing.settle();
      if (this.player.transport?.document === id) await this.player.stop();
      closing.close();
      this.lastClosed = await this.backend.call('workspace.close_document', { document: id });
      this.all = this.all.filter((each) => each.id !== id);
      this.waveforms.delete(id);
      this.notices.end(`document ${id}`);
      // The tab in front stays there, unless it is the one that was closed.
      if (this.activeId !== id) return;
      const next = this.all[Math.min(index, this.all.length - 1)];
      this.activeId = next?.id ?? null;
      if (next) await this.backend.call('workspace.activate_document', { document: next.id });
    });
  }

  /** Opens the document again that was closed last, with all that it had. */
  async reopen(): Promise<void> {
    await this.notices.attempt(async () => this.take(await this.backend.call('workspace.reopen_closed', {})));
  }

  /** Saves a document as a project file: under its name, or under one that the user chooses. */
  async save(document: DocumentState, choose: boolean): Promise<void> {
    await this.notices.attempt(async () => {
      await document.settle();
      document.adopt(await this.backend.call('workspace.save_project', { document: document.id, choose }));
      this.recent = await this.backend.call('workspace.recent', {});
    });
  }

  /** The user does something with the document in front. */
  touched(): void {
    this.closedJustNow = null;
    this.notices.end('closed just now');
  }

  /** Whether a step back or forward is not meant for the document in front, which is told. */
  refusesStep(): boolean {
    if (this.closedJustNow === null || !this.active) return false;
    const message = text.opening.closedJustNow(this.closedJustNow, this.active.data.name);
    this.notices.tell('info', message, 'closed just now');
    return true;
  }

  /** Makes an edit that adds a node, selects the node and gives it. */
  async add(document: DocumentState, edit: Edit): Promise<number | null> {
    const before = new Set([...walk(document.chain.nodes)].map((node) => node.id));
    document.edit(edit);
    await document.edits.idle();
    const added = [...walk(document.chain.nodes)].find((node) => !before.has(node.id));
    if (added) document.selectedNode = added.id;
    return added?.id ?? null;
  }

  private made(data: DocumentView): DocumentState {
    // Of a short recording the news may be here before the recording itself.
    const waveform = this.waveforms.get(data.id) ?? data.waveform;
    return new DocumentState(this.backend, { ...data, waveform }, (reason) => this.notices.fail(reason, `document ${data.id}`));
  }
}
