// Where frequencies stand on the lanes, for pointer and keys.

import { lanesOf, laneTop, type Lanes } from '../../../draw/waveform';
import { heightFromHz, hzFromHeight, scrolledAxis, WHOLE_AXIS, zoomedAxis } from '../../../lib/frequency-scale';
import { laneSet, type LaneSet } from '../../../lib/lanes';
import { clamp } from '../../../lib/scale';
import type { App } from '../../../state/app.svelte';
import type { DocumentState } from '../../../state/document.svelte';

/** Height of the time ruler above the lanes, in CSS pixels. */
export const RULER_PX = 24;

export class LanePlaces {
  constructor(
    private readonly element: HTMLElement,
    private readonly document: DocumentState,
    private readonly app: App,
    /** Whether its height means frequencies. */
    private readonly frequencies = true,
  ) {}

  get set(): LaneSet {
    return laneSet(this.app.settings.now.spectrogram.display, this.document.data.channels);
  }

  get shown(): boolean {
    return this.frequencies && this.app.settings.now.spectrogram.display.blend > 0;
  }

  private lanes(): { lanes: Lanes; top: number } {
    const box = this.element.getBoundingClientRect();
    return { lanes: lanesOf(this.set.count, box.height - RULER_PX, 1), top: box.top + RULER_PX };
  }

  private get scale() {
    return this.app.settings.now.spectrogram.analysis.scale;
  }

  /** The lane at a height of the window, or the nearest; and the height in it, 0..1 from its top. */
  within(clientY: number, held?: number): { lane: number; height: number } {
    const { lanes, top } = this.lanes();
    const lane = held ?? clamp(Math.floor((clientY - top) / (lanes.height + lanes.gap)), 0, lanes.channels - 1);
    return { lane, height: clamp((clientY - top - laneTop(lanes, lane)) / lanes.height, 0, 1) };
  }

  /** The frequency at a height of the window; null where no spectrogram is. `held` keeps to one lane. */
  spot(clientY: number, held?: number): { hz: number; lane: number } | null {
    if (!this.shown) return null;
    if (held === undefined && clientY < this.lanes().top) return null;
    const { lane, height } = this.within(clientY, held);
    return { hz: hzFromHeight(height, this.document.spectrogram.axis, this.scale, this.document.data.rate), lane };
  }

  clientY(hz: number, lane: number): number {
    const { lanes, top } = this.lanes();
    return top + laneTop(lanes, lane) + heightFromHz(hz, this.document.spectrogram.axis, this.scale, this.document.data.rate) * lanes.height;
  }

  zoom(factor: number, clientY: number): void {
    const { spectrogram } = this.document;
    spectrogram.axis = zoomedAxis(spectrogram.axis, factor, 1 - this.within(clientY).height);
  }

  /** Scrolls by a part of what is visible, upwards when positive. */
  scroll(share: number): void {
    const { spectrogram } = this.document;
    spectrogram.axis = scrolledAxis(spectrogram.axis, share * (spectrogram.axis.top - spectrogram.axis.bottom));
  }

  /** By pixels of the pointer, as a drag of the ruler does. */
  scrollPx(px: number): void {
    this.scroll(px / this.lanes().lanes.height);
  }

  reset(): void {
    this.document.spectrogram.axis = WHOLE_AXIS;
  }
}
