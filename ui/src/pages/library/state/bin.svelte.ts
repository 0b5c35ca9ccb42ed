// Moving files to the system's bin: asked first, told afterwards, taken back where the system lets programs do so.

import type { Backend } from '../../../backend';
import type { BinOutcome, TrackItem } from '../../../bindings';

export type BinPhase = 'asking' | 'moving' | 'moved' | 'restoring' | 'restored';

/** Files that go together, and copies of them that stay. */
export interface BinEntry {
  go: TrackItem[];
  stay: TrackItem[];
}

/** Whoever has to know what went, and what came back. */
export interface BinWitness {
  /** Before it goes: what sounds is let go of. */
  going(tracks: ReadonlySet<number>): Promise<void>;
  gone(tracks: readonly number[]): void;
  back(tracks: readonly number[]): void;
}

export class Bin {
  phase: BinPhase | null = $state(null);
  entries: BinEntry[] = $state.raw([]);
  outcome: BinOutcome | null = $state.raw(null);
  restored: BinOutcome | null = $state.raw(null);

  readonly going: TrackItem[] = $derived(this.entries.flatMap((entry) => entry.go));
  readonly bytes: number = $derived(this.going.reduce((sum, track) => sum + track.bytes, 0));

  constructor(
    private readonly backend: Backend,
    private readonly attempt: <T>(action: () => Promise<T>) => Promise<T | null>,
    private readonly witness: BinWitness,
  ) {}

  /** Asks whether these are to go. */
  ask(entries: BinEntry[]): void {
    if (this.phase !== null || !entries.some((entry) => entry.go.length > 0)) return;
    this.entries = entries;
    this.outcome = null;
    this.restored = null;
    this.phase = 'asking';
  }

  /** The same of tracks by number, of which no copies are known. */
  async askFor(tracks: number[]): Promise<void> {
    const rows = await this.attempt(() => this.backend.call('library.rows', { tracks }));
    const there = (rows ?? []).filter((row) => row.state !== 'vanished');
    this.ask([{ go: there, stay: [] }]);
  }

  async move(): Promise<void> {
    if (this.phase !== 'asking') return;
    const tracks = this.going.map((track) => track.id);
    const copies = this.entries.flatMap(({ go, stay }) => go.map(() => stay.map((track) => track.id)));
    this.phase = 'moving';
    await this.witness.going(new Set(tracks));
    const outcome = await this.attempt(() => this.backend.call('library.bin', { tracks, copies }));
    this.outcome = outcome;
    if (outcome) this.witness.gone(outcome.moved);
    this.phase = outcome ? 'moved' : 'asking';
  }

  async restore(): Promise<void> {
    const { outcome } = this;
    if (!outcome || this.phase !== 'moved') return;
    this.phase = 'restoring';
    const restored = await this.attempt(() => this.backend.call('library.restore', { tracks: outcome.moved }));
    this.restored = restored;
    if (restored) this.witness.back(restored.moved);
    this.phase = restored ? 'restored' : 'moved';
  }

  /** Closes the dialog, unless tracks are being moved or restored. */
  close(): void {
    if (this.phase !== 'moving' && this.phase !== 'restoring') this.phase = null;
  }
}
