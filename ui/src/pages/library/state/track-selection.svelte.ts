// Which tracks are selected: by number, or all that answer but some. Selecting all of a hundred thousand costs nothing.

export class TrackSelection {
  /** Whether all are selected but those in `ids`. */
  all = $state(false);
  private ids = new Set<number>();
  /** Grows with every change; whoever asks depends on it. */
  private version = $state(0);

  has(id: number): boolean {
    void this.version;
    return this.ids.has(id) !== this.all;
  }

  count(total: number): number {
    void this.version;
    return this.all ? Math.max(0, total - this.ids.size) : this.ids.size;
  }

  /** The numbers, in the order of selecting; none where all but some are selected. */
  get numbers(): number[] | null {
    void this.version;
    return this.all ? null : [...this.ids];
  }

  only(ids: Iterable<number>): void {
    this.set(false, new Set(ids));
  }

  everything(): void {
    this.set(true, new Set());
  }

  clear(): void {
    this.set(false, new Set());
  }

  toggle(id: number): void {
    if (!this.ids.delete(id)) this.ids.add(id);
    this.version++;
  }

  add(ids: Iterable<number>): void {
    for (const id of ids) {
      if (this.all) this.ids.delete(id);
      else this.ids.add(id);
    }
    this.version++;
  }

  private set(all: boolean, ids: Set<number>): void {
    this.all = all;
    this.ids = ids;
    this.version++;
  }
}
