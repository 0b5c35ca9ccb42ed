// Which picture is shown: the one that is asked for, or the one before it until that has something to show everywhere.

import { axisOnScale } from '../lib/frequency-scale';
import { pictureOfLanes, type LanesPicture } from './spectrogram-lanes';
import type { Picture } from './spectrogram-picture';
import type { SpectrogramTiles } from './spectrogram-tiles';
import { lanesOf } from './waveform';

export interface Shown {
  picture: Picture;
  /** The lanes that it is a picture of. */
  of: LanesPicture;
  /** Whether it is what was asked for, from tiles that are the answer itself. */
  exact: boolean;
  /** Whether there is something of it everywhere. */
  covered: boolean;
}

/** The properties that make a picture another one; the view is not among them. */
const lookOf = ({ analysis, compare, side, set }: LanesPicture): string => JSON.stringify([analysis, compare, side, set]);

export class ShownPicture {
  /** The last picture that had something to show everywhere. */
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
    // It follows scrolling and zooming, so that it is right at every moment, if not the one that was asked for.
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
