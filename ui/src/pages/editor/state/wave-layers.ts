// The layers of the waveform: the side that is heard, and behind it the other one, if that is wished for.

import type { Side } from '../../../bindings';
import type { Palette } from '../../../draw/palette';
import { coloursBehind, coloursOf } from '../../../draw/wave-colours';
import type { WaveLayer } from '../../../draw/waveform';
import type { Player } from '../../../state/player.svelte';
import type { DocumentState } from '../../../state/document.svelte';

export interface WaveChoice {
  /** Both sides, one behind the other. */
  both: boolean;
  /** The waveform lies on a spectrogram. */
  onSpectrogram: boolean;
  /** Where the original ends and the processed side begins, if they stand side by side. */
  wipe: number | null;
}

const other = (side: Side): Side => (side === 'original' ? 'processed' : 'original');

/** The side that is drawn in front: a chain that plays nothing leaves the recording as it is. */
export const waveSide = (document: DocumentState, player: Player): Side => (document.chained ? player.pictureOf(document) : 'original');

export function waveLayers(document: DocumentState, player: Player, palette: Palette, { both, onSpectrogram, wipe }: WaveChoice): WaveLayer[] {
  const side = waveSide(document, player);
  const layer = (of: Side): WaveLayer => ({ cache: document.tiles[of], colours: coloursOf(palette, of, onSpectrogram) });
  const behind = (of: Side): WaveLayer => ({ cache: document.tiles[of], colours: coloursBehind(palette, of, onSpectrogram), behind: true });
  const compared = document.chained && !document.stretched && document.data.chain_problem === null;
  if (!compared) return [layer('original')];
  if (wipe !== null) return [{ ...layer('original'), to: wipe }, { ...layer('processed'), from: wipe }];
  // Until anything is known of a processed side, the original is dimly seen.
  const waits = side === 'processed' && document.tiles.processed.isBlank;
  return both || waits ? [behind(other(side)), layer(side)] : [layer(side)];
}
