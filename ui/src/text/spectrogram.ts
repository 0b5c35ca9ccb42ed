// The words of spectrograms and their pictures.

import { message } from './message';

/** How finely a picture tells time and frequency apart at a frequency, in words. */
export interface ResolutionWords {
  hz: string;
  window: string;
  bin: string;
  tones: string;
}

const ends = (low: ResolutionWords, high: ResolutionWords) => ({ lowWindow: low.window, lowHz: low.hz, lowTones: low.tones, highWindow: high.window, highHz: high.hz, highTones: high.tones });

export const spectrogram = {
  title: 'Spectrogram',
  open: 'Spectrogram settings',
  axis: 'Visible frequencies',
  axisValue: message('{low} to {high}', (low: string, high: string) => ({ low, high })),
  axisHint: 'Drag: scroll. Ctrl+wheel: zoom. Double click: show all',
  gain: 'Gain',
  range: 'Range',
  coloursHint: 'Drag: gain. Shift+drag or wheel: range. Double click: reset',
  rangeHint: 'Drag: range',
  wipe: 'Boundary between original and processed',
  wipeValue: message('{percent} % original', (percent: number) => ({ percent })),
  sides: { original: 'Original', processed: 'Processed' },
  differenceSign: 'Processed minus original: + (orange) is louder after the effects, − (blue) quieter.',
  differenceLegend: 'Processed − original: + louder, − quieter',
  preset: 'Preset',
  ownPreset: 'Custom',
  blend: 'Waveform or spectrogram',
  lanesShort: { waveform: 'Waveform', both: 'Both', spectrogram: 'Spectrogram' },
  blends: { waveform: 'Waveform', both: 'Waveform over spectrogram', spectrogram: 'Spectrogram' },
  method: 'Method',
  methods: { fourier: 'Fourier, fixed window', multi_resolution: 'Multi-resolution', reassigned: 'Reassigned', constant_q: 'Constant-Q' },
  binsPerOctave: 'Bins per octave',
  window: 'Window',
  windows: { hann: 'Hann', hamming: 'Hamming', blackman: 'Blackman', blackman_harris: 'Blackman–Harris', nuttall: 'Nuttall', flattop: 'Flat top', kaiser: 'Kaiser', gaussian: 'Gaussian', bartlett: 'Bartlett', parzen: 'Parzen', bohman: 'Bohman', barthann: 'Bartlett–Hann', rectangular: 'Rectangular' },
  size: 'Size',
  sizeValue: message('{time} ({frames, number})', (time: string, frames: number) => ({ time, frames })),
  notByOctaves: 'The constant-Q method chooses it for each frequency.',
  byOctavesOnly: 'Only the constant-Q method uses it.',
  twoChannels: 'Needs a recording of two channels.',
  oneChannel: 'The recording has one channel.',
  padding: 'Zero padding',
  paddingValue: message('{times, plural, =1 {None} one {#×} other {#×}}', (times: number) => ({ times })),
  scale: 'Scale',
  scales: { linear: 'Linear', log: 'Logarithmic', mel: 'Mel', bark: 'Bark', erb: 'ERB' },
  colours: 'Colours',
  colourNames: { viridis: 'Viridis', magma: 'Magma', inferno: 'Inferno', cividis: 'Cividis', grey: 'Grey', undertone: 'Undertone' },
  channels: 'Channels',
  channelSets: { each: 'Separate', mix: 'Mix', mid_side: 'Mid and side' },
  compare: 'Compare',
  compares: { off: 'Off', wipe: 'Wipe', difference: 'Difference' },
  timeRuler: 'Time ruler',
  timeRulers: { time: 'Time', samples: 'Samples', beats: 'Bars and beats' },
  frequencyRuler: 'Frequency ruler',
  frequencyRulers: { hz: 'Hz', notes: 'Notes' },
  bpm: 'Beats per minute',
  beatsPerBar: 'Beats per bar',
  resolution: {
    fourier: message('Windows of {window}, {bin} per bin. Clicks are {window} wide. Tones closer than {tones} merge.', ({ window, bin, tones }: ResolutionWords) => ({ window, bin, tones })),
    multi_resolution: message(
      'Long windows for low frequencies, short ones for high. Clicks are {lowWindow} wide at {lowHz} and {highWindow} at {highHz}. Tones closer than {lowTones} and {highTones} merge there.',
      ends,
    ),
    reassigned: message(
      'Windows of {window}. Energy is drawn where it comes from, so steady tones and clicks are thin lines. Clicks closer than {window} and tones closer than {tones} disturb each other.',
      ({ window, tones }: ResolutionWords) => ({ window, tones }),
    ),
    constant_q: message(
      'Every window is {periods} periods long, from 20 Hz up. Clicks are {lowWindow} wide at {lowHz} and {highWindow} at {highHz}. Tones closer than {lowTones} and {highTones} merge there.',
      (periods: string, low: ResolutionWords, high: ResolutionWords) => ({ periods, ...ends(low, high) }),
    ),
  },
};

export const picture = {
  title: 'Export picture',
  format: 'Format',
  pictureFormats: { png: 'PNG picture', npy: 'NPY array in dB' },
  width: 'Width',
  height: 'Height',
  axes: 'Axes',
  axesHelp: 'Adds rulers, units and a colour legend.',
  pixels: 'pixels',
  rows: 'The whole recording, with the current spectrogram settings.',
  side: 'Source',
  sides: { original: 'Original', processed: 'Processed' },
  start: 'Export…',
  done: message('{title}: done', (title: string) => ({ title })),
};
