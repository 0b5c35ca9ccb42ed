// The words of the editor: documents, lanes, status bar.

import type { LaneChannels, WaveformView } from '../../../bindings';
import { composed, message } from '../../../text/message';

export const tabs = {
  all: message('{count, plural, one {One open document} other {All # open documents}}', (count: number) => ({ count })),
  close: message('Close {name}', (name: string) => ({ name })),
  closeOthers: message('Close all but {name}', (name: string) => ({ name })),
};

export const empty = {
  sentence: 'Drop a recording here, or open one, to view it, apply effects and export it.',
  open: 'Open…',
  demo: 'Try the demo',
  recent: 'Recent',
  reopen: message('Reopen {name}', (name: string) => ({ name })),
  drop: 'Drop to open',
};

export const opening = {
  failed: message('{name} was not opened. {reason}', (name: string, reason: string) => ({ name, reason })),
  start: 'Undertone could not start',
  missing: message('{name} cannot be read. {reason}', (name: string, reason: string) => ({ name, reason })),
  locate: 'Locate…',
  retry: 'Try again',
  closedJustNow: message('{closed} was closed; Reopen closed in the File menu brings it back. To undo in {front}, click it first.', (closed: string, front: string) => ({ closed, front })),
  changed: 'Changed since the project was saved',
  damaged: message(
    '{places, plural, one {One place of this recording could not be decoded and is silent, {seconds} s in total.} other {# places of this recording could not be decoded and are silent, {seconds} s in total.}}',
    (places: number, seconds: string) => ({ places, seconds }),
  ),
  stopped: message('Only part of the recording could be read. {reason}', (reason: string) => ({ reason })),
  show: 'Show',
  showNext: 'Show next',
  coarse: message('Reading waveform: {percent} %', (percent: number) => ({ percent })),
};

export const overview = {
  label: 'Visible part',
  value: message('{from} to {to}', (from: string, to: string) => ({ from, to })),
};

export const lanes = {
  label: message('Waveform of {name}', (name: string) => ({ name })),
  names: composed({ mix: 'Mix', mid: 'M', side: 'S', left: 'L', right: 'R' }, (words) => (set: LaneChannels, count: number): string[] => {
    if (set === 'mix') return [words.mix];
    if (set === 'mid_side') return [words.mid, words.side];
    return count === 1 ? [''] : count === 2 ? [words.left, words.right] : Array.from({ length: count }, (_, i) => `${i + 1}`);
  }),
  units: { level: 'dB', hz: 'Hz', notes: 'Note' },
  hint: 'Left and Right move the cursor. Up and Down move its frequency in a spectrogram, and choose a channel to edit without one. Shift selects. Ctrl with + or − zooms.',
  resize: 'Rack width',
  stretched: 'Original only: the chain changes the length, so the processed sound cannot be shown here',
  rendering: composed(
    {
      failed: message('The processed sound cannot be shown: {failure}', (failure: string) => ({ failure })),
      share: message('Rendering {percent} %', (percent: number) => ({ percent })),
      begun: 'Rendering…',
    },
    (words) => (processed: WaveformView | null) => {
      if (processed?.failure) return words.failed(processed.failure);
      const share = processed?.exact_share ?? 0;
      return share > 0 && share < 1 ? words.share(Math.floor(share * 100)) : words.begun;
    },
  ),
  levelZoom: 'Waveform height',
  levelZoomValue: message('{db} dBFS at the edge', (db: string) => ({ db })),
  levelZoomHint: 'Wheel: taller or lower. Double-click: full scale. Z: fit to peak.',
  levelZoomed: message('Waveform {db} dB', (db: string) => ({ db })),
  levelReset: 'Waveform at full scale',
  stretchedLoudness: 'Original only: the chain changes the length.',
  tool: { time: 'Select time', band: 'Select time and frequency' },
  otherTool: { time: 'select time', band: 'select time and frequency' },
  toolHint: message('{now} ({key})\n{held}+drag: {other}', (now: string, key: string, held: string, other: string) => ({ now, key, held, other })),
};

export const status = {
  cursor: 'Cursor',
  selection: 'Selection',
  noSelection: 'nothing selected',
  from: 'from',
  to: 'to',
  length: 'length',
  sample: 'sample',
  ofOriginal: 'original:',
  ofOriginalHelp: 'Levels of the selection before the effects, because these change its length.',
  measuring: 'measuring…',
  rms: 'RMS',
  peak: 'peak',
  left: message('{time} left', (time: string) => ({ time })),
  cancel: 'Cancel',
  sayCursor: message('Cursor at {time}, sample {sample}, level {level}.', (time: string, sample: string, level: string) => ({ time, sample, level })),
  saySelection: message('Selected from {from} to {to}, {length} long.', (from: string, to: string, length: string) => ({ from, to, length })),
  sayBand: message(' Frequencies {low} to {high}.', (low: string, high: string) => ({ low, high })),
  sayLevels: message(' RMS {rms}, peak {peak}.', (rms: string, peak: string) => ({ rms, peak })),
  sayFrequency: message(' Frequency {hz}, {note}.', (hz: string, note: string) => ({ hz, note })),
  sayLevel: message(' {side} {level}.', (side: string, level: string) => ({ side, level })),
  sayChange: message(' Difference {db}.', (db: string) => ({ db })),
  sayPeak: message(' Nearest peak {hz}, {level}, phase {phase}.', (hz: string, level: string, phase: string) => ({ hz, level, phase })),
  pointer: 'Pointer',
  spectralPeak: 'peak',
  phase: 'phase',
  sides: { original: 'Original', processed: 'Processed' },
  change: 'Processed − original',
  noMidSide: 'Zoom in for M/S waveforms',
  noMidSideHelp: 'At this zoom only the peaks of left and right are known, not those of mid and side.',
  band: 'band',
  low: 'lowest frequency',
  high: 'highest frequency',
  loudness: 'LUFS',
  centre: 'centroid',
  format: message('{rate} · {channels}', (rate: string, channels: string) => ({ rate, channels })),
  mono: 'mono',
  stereo: 'stereo',
  channels: message('{count} channels', (count: number) => ({ count })),
};
