// The library's words: folders, scan, table, a track's page.

import type { ExportedTracks } from '../bindings';
import { formatBytes, formatInteger } from '../lib/quantity';

const tracks = (count: number): string => `${formatInteger(count)} ${count === 1 ? 'track' : 'tracks'}`;

export const library = {
  page: 'Library',
  tabs: { tracks: 'Tracks', duplicates: 'Duplicates', map: 'Map', identify: 'Identify' },
  views: 'Views of the library',
  panels: { track: 'Track', similar: 'Similar' },
  closePanel: 'Hide the panel',
  noTrack: 'Choose a track to see what is known of it.',
  foldersWidth: 'Width of folders and scan',
  panelWidth: 'Width of the panel',
  failed: 'The library could not be opened',
  again: 'Try again',
  tracks,
  selected: (count: number) => `${formatInteger(count)} selected`,
  of: (done: number, total: number) => `${formatInteger(done)} of ${formatInteger(total)}`,
  phases: { walking: 'Looking through the folders', analysing: 'Analysing', pausing: 'Pausing: the tracks in hand are finished first', paused: 'Paused', held: 'Held up', stopping: 'Stopping', done: 'Finished', cancelled: 'Cancelled', failed: 'Failed' },
  exported: (written: ExportedTracks) => `Wrote ${written.name}: ${tracks(written.tracks)}, ${formatBytes(written.bytes)}`,
};
