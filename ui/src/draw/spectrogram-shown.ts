// Chooses the picture to show: the requested one, or the previous one until the new one covers everything.

import { axisOnScale } from '../lib/frequency-scale';
import { pictureOfLanes, type LanesPicture } from './spectrogram-lanes';
import type { Picture } from './spectrogram-picture';
import type { SpectrogramTiles } from './spectrogram-tiles';
import { lanesOf } from './waveform';

export interface Shown {
  picture: Picture;
  /** The lanes it shows. */
  of: LanesPicture;
  /** Whether it is the requested picture, made only of final tiles. */
  exact: boolean;
  /** Whether it covers everything. */
  covered: boolean;
}

/** The properties that identify a picture, without the view. */
const lookOf = ({ analysis, compare, side, set }: LanesPicture): string => JSON.stringify([analysis, compare, side, set]);

export class ShownPicture {
  /** The last picture that covered everything. */
  private last: LanesPicture | null = null;

  constructor(
    private readonly tiles: SpectrogramTiles,
    private readonly rate: number,
  ) {}

  next(wanted: LanesPicture): Shown {
    const { tiles, last } = this;
    tiles.begin();
    const picture = pictureOfLanes(tiles, wanted, true);
    const { covered, exact } = tiles;
    tiles.end();
    if (covered) this.last = wanted;
    if (covered || !last || lookOf(last) === lookOf(wanted)) return { picture, of: wanted, exact, covered };
    // Follows scrolling and zooming, so that it is always at the right place, though not the requested picture.
    const of: LanesPicture = {
      ...wanted,
      analysis: last.analysis,
      compare: last.compare,
      side: last.side,
      chain: last.chain,
      set: last.set,
      axis: axisOnScale(wanted.axis, wanted.analysis.scale, last.analysis.scale, this.rate),
      lanes: lanesOf(last.set.count, wanted.height, wanted.lanes.gap),
    };
    return { picture: pictureOfLanes(tiles, of, false), of, exact: false, covered: true };
  }
}
