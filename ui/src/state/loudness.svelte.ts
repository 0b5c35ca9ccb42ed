// Loudness over time of one document: both sides' curves, taken up as they grow.

import { decodeLoudness, type Backend, type LoudnessBlock } from '../backend';
import type { Side } from '../bindings';
import { latestOnly, settled } from '../lib/coalesce';

export interface LoudnessTrack extends Omit<LoudnessBlock, 'from'> {
  failure: string | null;
}

const grown = (values: Float32Array, from: number, more: Float32Array): Float32Array => {
  const all = new Float32Array(from + more.length);
  all.set(values.subarray(0, from));
  all.set(more, from);
  return all;
};

export class LoudnessState {
  original: LoudnessTrack | null = $state.raw(null);
  processed: LoudnessTrack | null = $state.raw(null);
  private shown = false;
  private readonly ask: Record<Side, (args: null) => void>;
  private readonly askSoon: (side: Side) => void;

  constructor(
    private readonly backend: Backend,
    private readonly document: number,
  ) {
    const asker = (side: Side) =>
      latestOnly(
        () => this.read(side),
        () => undefined,
      );
    this.ask = { original: asker('original'), processed: asker('processed') };
    this.askSoon = settled(250, (side: Side) => this.ask[side](null));
  }

  /** Begins to measure what is not measured yet. */
  show(withChain: boolean): void {
    this.shown = true;
    this.ask.original(null);
    if (withChain) this.askSoon('processed');
    else this.processed = null;
  }

  /** Gives up what is being measured. */
  hide(): void {
    if (!this.shown) return;
    this.shown = false;
    void this.backend.call('editor.cancel_loudness', { document: this.document }).catch(() => undefined);
  }

  take(side: Side, generation: number): void {
    // The curve of a hidden lane is not read, and news of an older curve is none.
    const known = this[side];
    if (!this.shown || (known && generation < known.generation)) return;
    this.ask[side](null);
  }

  private async read(side: Side): Promise<void> {
    const known = this[side];
    try {
      const block = decodeLoudness(await this.backend.loudness(this.document, side, known?.generation ?? 0, known?.momentary.length ?? 0));
      const same = known?.generation === block.generation ? known : null;
      const none = new Float32Array(0);
      this[side] = { ...block, momentary: grown(same?.momentary ?? none, block.from, block.momentary), shortTerm: grown(same?.shortTerm ?? none, block.from, block.shortTerm), failure: null };
    } catch (reason) {
      const failure = (reason as { message?: string }).message ?? String(reason);
      const empty = { generation: 0, finished: false, share: 0, integrated: null, range: null, maxMomentary: null, maxShortTerm: null, momentary: new Float32Array(0), shortTerm: new Float32Array(0) };
      this[side] = { ...(known ?? empty), failure };
    }
  }
}
