// The words of transport and meters.

import { message } from './message';

export const transport = {
  toStart: 'Cursor to start',
  play: 'Play',
  pause: 'Pause',
  stop: 'Stop',
  loop: 'Loop selection',
  time: 'Position',
  sides: 'Side to listen to',
  original: 'Original',
  processed: 'Processed',
  hearOriginal: 'Listen to the original',
  hearProcessed: 'Listen to the processed sound',
  tracks: { original: 'Track A', processed: 'Track B' },
  typeTime: 'Type a time',
  match: 'Match',
  matched: 'Match loudness of original and processed',
  matchedGain: message('Match loudness: processed {db}', (db: string) => ({ db })),
  matchedTracks: 'Match loudness of tracks A and B',
  matchedTracksGain: message('Match loudness: track B {db}', (db: string) => ({ db })),
  measuring: 'gain is being measured',
  measuredWhenPlayed: 'gain is measured on playback',
  muted: message('Muted: the level rose to {db} dB over full scale. Lower it in the chain, then play again.', (db: string) => ({ db })),
  underruns: message('{count, plural, one {# drop-out} other {# drop-outs}}', (count: number) => ({ count })),
  underrunsHelp: 'The sound stopped for a moment, because the computer was too busy while it played. Click to hide this.',
};

export const meters = {
  title: 'Level',
  clipped: message('{count, number} samples clipped. Click to reset.', (count: number) => ({ count })),
  noClip: 'No clipping',
  channel: message('{name}: peak {peak}, RMS {rms}', (name: string, peak: string, rms: string) => ({ name, peak, rms })),
};
