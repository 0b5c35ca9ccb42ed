// The open documents, in the order of their tabs, and the one in front.

import type { Backend } from '../backend';
import type { DocumentView, Edit, NodeId, Opened, RecentFile, WaveformView } from '../bindings';
import { walk } from '../lib/chain';
import { text } from '../text/catalogue';
import { DocumentState } from './document.svelte';
import type { Notices } from './notices.svelte';
import type { Player } from './player.svelte';

export class Documents {
  all: DocumentState[] = $state.raw([]);
  activeId: number | null = $state(null);
  recent: RecentFile[] = $state.raw([]);
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
  begin(documents: DocumentView[], active: number | null, recent: RecentFile[]): void {
    this.all = documents.map((data) => this.made(data));
    this.activeId = active ?? this.all[0]?.id ?? null;
    this.recent = recent;
  }

  find(id: number): DocumentState | undefined {
    return this.all.find((each) => each.id === id);
  }

  takeWaveform(id: number, waveform: WaveformView): void {
    this.waveforms.set(id, waveform);
    this.find(id)?.takeWaveform(waveform);
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
    // What could not be opened before matters no more once something is.
    if (opened.documents.length > 0) this.notices.end('opening');
    for (const { name, failure } of opened.failures) {
      const message = text.opening.failed(name, failure.message);
      this.notices.tell('error', message, 'opening');
    }
    void this.notices.attempt(async () => (this.recent = await this.backend.call('recent', {})));
  }

  async open(how: 'dialog' | 'demo' | { recent: number }): Promise<void> {
    await this.notices.attempt(async () => {
      if (how === 'dialog') this.take(await this.backend.call('open_dialog', {}));
      else if (how === 'demo') this.take(await this.backend.call('open_demo', {}));
      else this.take(await this.backend.call('open_recent', { id: how.recent }));
    });
  }

  activate(id: number): void {
    if (this.activeId === id) return;
    this.activeId = id;
    void this.notices.attempt(() => this.backend.call('activate_document', { document: id }));
  }

  async close(id: number): Promise<void> {
    const index = this.all.findIndex((each) => each.id === id);
    const closing = this.all[index];
    if (!closing) return;
    await this.notices.attempt(async () => {
      if (this.player.transport?.document === id) await this.player.stop();
      closing.close();
      await this.backend.call('close_document', { document: id });
      this.all = this.all.filter((each) => each.id !== id);
      this.waveforms.delete(id);
      this.notices.end(`document ${id}`);
      const next = this.all[Math.min(index, this.all.length - 1)];
      if (this.activeId === id) this.activeId = next?.id ?? null;
      if (next) await this.backend.call('activate_document', { document: next.id });
    });
  }

  /** Makes an edit that adds a node, selects the node and gives it. */
  async add(document: DocumentState, edit: Edit): Promise<NodeId | null> {
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
