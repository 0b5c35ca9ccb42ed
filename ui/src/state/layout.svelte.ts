// The sizes of the editor's and the batch's panes, which the settings store.

type Panes = Record<string, number | undefined>;

export class Layout {
  rackOpen = $state(true);
  rackWidth = $state(340);
  batchWidth = $state(392);
  analyserHeight = $state(236);
  loudnessHeight = $state(132);

  /** Takes what the settings hold. */
  take(panes: Panes): void {
    this.rackWidth = panes['rack'] ?? this.rackWidth;
    this.batchWidth = panes['batch'] ?? this.batchWidth;
    this.rackOpen = panes['rack_open'] !== 0;
    this.analyserHeight = panes['analyser'] ?? this.analyserHeight;
    this.loudnessHeight = panes['loudness'] ?? this.loudnessHeight;
  }

  panes(): Record<string, number> {
    return { rack: this.rackWidth, rack_open: this.rackOpen ? 1 : 0, analyser: this.analyserHeight, loudness: this.loudnessHeight, batch: this.batchWidth };
  }
}
