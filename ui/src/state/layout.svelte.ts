// The layout that the settings store: the sizes of the editor's and the batch's panes, and what they show.

/** The width of the table of a comparison, and the height of its curves. */
export const COMPARE_WIDTH = 420;
export const CURVES_HEIGHT = 132;

type Panes = Record<string, number | undefined>;

export class Layout {
  rackOpen = $state(true);
  /** Whether the waveform shows the other side behind the one that is heard. */
  bothSides = $state(false);
  /** Whether a drag on the lanes selects time and frequency; otherwise time. */
  bandTool = $state(false);
  rackWidth = $state(340);
  batchWidth = $state(392);
  compareWidth = $state(COMPARE_WIDTH);
  /** The height of the curves of a comparison. */
  curvesHeight = $state(CURVES_HEIGHT);
  analyserHeight = $state(236);
  loudnessHeight = $state(132);
  markersOpen = $state(false);
  markersHeight = $state(196);

  /** Takes what the settings hold. */
  take(panes: Panes): void {
    this.rackWidth = panes['rack'] ?? this.rackWidth;
    this.batchWidth = panes['batch'] ?? this.batchWidth;
    this.compareWidth = panes['compare'] ?? this.compareWidth;
    this.curvesHeight = panes['compare_curves'] ?? this.curvesHeight;
    this.bandTool = panes['band_tool'] === 1;
    this.rackOpen = panes['rack_open'] !== 0;
    this.bothSides = panes['both_sides'] === 1;
    this.analyserHeight = panes['analyser'] ?? this.analyserHeight;
    this.loudnessHeight = panes['loudness'] ?? this.loudnessHeight;
    this.markersOpen = panes['markers_open'] === 1;
    this.markersHeight = panes['markers'] ?? this.markersHeight;
  }

  /** The sizes of the comparing page's panes, once they were changed. */
  private changed(): Record<string, number> {
    const sizes: [string, number, number][] = [
      ['compare', this.compareWidth, COMPARE_WIDTH],
      ['compare_curves', this.curvesHeight, CURVES_HEIGHT],
    ];
    return Object.fromEntries(sizes.filter(([, size, initial]) => size !== initial).map(([name, size]) => [name, size]));
  }

  panes(): Record<string, number> {
    return { rack: this.rackWidth, rack_open: this.rackOpen ? 1 : 0, band_tool: this.bandTool ? 1 : 0, both_sides: this.bothSides ? 1 : 0, analyser: this.analyserHeight, loudness: this.loudnessHeight, markers_open: this.markersOpen ? 1 : 0, markers: this.markersHeight, batch: this.batchWidth, ...this.changed() };
  }
}
