// Effects as the core lists them, with responses by the cookbook's formulas.

import type { Arguments, EffectView, ParameterView, Purpose, Scale, Unit } from '../../bindings';

const number = (name: string, title: string, unit: Unit, min: number, max: number, initial: number, scale: Scale, help: string): ParameterView => ({
  name,
  title,
  help,
  control: { kind: 'number', unit, min, max, initial, scale },
  used_with: [],
});
const hz = (name: string, title: string, initial: number): ParameterView =>
  number(name, title, 'hz', 1, 96_000, initial, 'log', `${title} frequency.`);
const q = (initial: number): ParameterView => number('q', 'Q', 'none', 0.05, 100, initial, 'log', 'Sharpness: centre frequency over bandwidth.');
const gain = number('gain', 'Gain', 'dB', -36, 36, 3, 'linear', 'Raise or cut.');
const order = number('order', 'Order', 'none', 1, 24, 2, 'integer', 'Steepness: 6 dB per octave and order.');

const effect = (name: string, title: string, purpose: Purpose, summary: string, parameters: ParameterView[]): EffectView => ({
  name,
  title,
  purpose,
  summary,
  documentation: summary,
  parameters,
  search: '',
});

export const EFFECTS: EffectView[] = [
  effect('highpass', 'High-pass', 'filter', 'Takes away what lies below the cutoff: rumble, wind, hum.', [hz('cutoff', 'Cutoff', 80), order]),
  effect('lowpass', 'Low-pass', 'filter', 'Takes away what lies above the cutoff: hiss, harshness.', [hz('cutoff', 'Cutoff', 8000), order]),
  effect('bandpass', 'Band-pass', 'filter', 'Keeps what lies between two frequencies.', [hz('low', 'Low', 300), hz('high', 'High', 3400), order]),
  effect('bandstop', 'Band-stop', 'filter', 'Takes away what lies between two frequencies.', [
    hz('low', 'Low', 300),
    hz('high', 'High', 3400),
    order,
    { name: 'design', title: 'Design', help: 'The family.', control: { kind: 'choice', options: ['butterworth', 'chebyshev1'], initial: 'butterworth' }, used_with: [] },
    { ...number('ripple', 'Ripple', 'dB', 0.001, 3, 0.1, 'log', 'How much the pass band may ripple.'), used_with: [{ choice: 'design', words: ['chebyshev1'] }] },
  ]),
  effect('notch', 'Notch', 'filter', 'Takes away one narrow band: mains hum, a whistle.', [hz('center', 'Centre', 50), q(10)]),
  effect('rbj_bandpass', 'Band-pass (biquad)', 'filter', 'Keeps one band, by the audio cookbook.', [
    hz('center', 'Centre', 1000),
    q(1),
    { name: 'peak', title: 'Peak', help: 'What stays constant as Q changes.', control: { kind: 'choice', options: ['skirt', 'unity'], initial: 'unity' }, used_with: [] },
  ]),
  effect('peaking', 'Peaking', 'equaliser', 'Raises or cuts a band around its centre.', [hz('center', 'Centre', 1000), q(1), gain]),
  effect('low_shelf', 'Low shelf', 'equaliser', 'Raises or cuts everything below the cutoff.', [hz('cutoff', 'Cutoff', 150), gain, q(0.7071)]),
  effect('high_shelf', 'High shelf', 'equaliser', 'Raises or cuts everything above the cutoff.', [hz('cutoff', 'Cutoff', 6000), gain, q(0.7071)]),
  effect('gain', 'Gain', 'level', 'Makes everything louder or softer.', [number('gain', 'Gain', 'dB', -60, 60, 0, 'linear', 'Raise or lower.')]),
  effect('delay', 'Delay', 'space', 'Echoes after a time or a note.', [
    {
      name: 'time',
      title: 'Time',
      help: 'From one echo to the next.',
      control: { kind: 'number_or_note', unit: 'seconds', min: 0.0001, max: 10, initial: 0.25, scale: 'log' }, used_with: [],
    },
    number('bpm', 'Tempo', 'none', 10, 999, 120, 'linear', 'Quarter notes in a minute.'),
    number('feedback', 'Feedback', 'percent', 0, 0.99, 0.3, 'linear', 'How loud each echo is re the one before.'),
    number('mix', 'Mix', 'percent', 0, 1, 0.3, 'linear', 'The share of the effect in the output.'),
    { name: 'mode', title: 'Mode', help: 'Where echoes stand.', control: { kind: 'choice', options: ['mono', 'ping_pong'], initial: 'mono' }, used_with: [] },
  ]),
  effect('normalize', 'Normalise', 'level', 'Brings the loudest sample to a level.', [number('peak', 'Peak', 'dB', -60, 0, -1, 'linear', 'The level of the loudest sample.')]),
  effect('graphic_eq_10', 'Graphic equaliser, 10 bands', 'equaliser', 'Ten bands of an octave.', [
    ...(['31.5', '63', '125', '250', '500'] as const).map((hz) => number(`b${hz.replace('.', '_')}`, `${hz} Hz`, 'dB', -18, 18, 0, 'linear', `Gain at ${hz} Hz.`)),
    ...(['1', '2', '4', '8', '16'] as const).map((khz) => number(`b${khz}k`, `${khz} kHz`, 'dB', -18, 18, 0, 'linear', `Gain at ${khz} kHz.`)),
  ]),
  effect('parametric_eq', 'Parametric equaliser', 'equaliser', 'A low shelf, two peaks and a high shelf.', [
    ...([['low_cutoff', 'low_gain', 'low_q', 'Low shelf', 80], ['center1', 'gain1', 'q1', 'Peak 1', 350], ['center2', 'gain2', 'q2', 'Peak 2', 3500], ['high_cutoff', 'high_gain', 'high_q', 'High shelf', 10_000]] as const).flatMap(([cutoff, level, sharp, title, at]) => [
      number(cutoff, title, 'hz', 1, 96_000, at, 'log', 'Where it is.'),
      number(level, `${title} gain`, 'dB', -40, 40, 0, 'linear', 'Raise or cut.'),
      number(sharp, `${title} Q`, 'none', 0.05, 100, 1, 'log', 'Sharpness.'),
    ]),
  ]),
  effect('compressor', 'Compressor', 'dynamics', 'Makes what is louder than the threshold softer by a ratio.', [
    number('threshold', 'Threshold', 'dB', -80, 0, -18, 'linear', 'The level above which it works.'),
    number('ratio', 'Ratio', 'none', 1, 100, 4, 'log', 'Decibels in per decibel out.'),
    number('attack', 'Attack', 'seconds', 0, 0.5, 0.01, 'linear', 'How fast it sets in.'),
    number('release', 'Release', 'seconds', 0.001, 5, 0.1, 'log', 'How fast it lets go.'),
    number('knee', 'Knee', 'dB', 0, 24, 6, 'linear', 'Width of the bend.'),
    number('makeup', 'Make-up', 'dB', -24, 48, 0, 'linear', 'Gain after the reduction.'),
    { name: 'auto_makeup', title: 'Auto make-up', help: 'Whether the gain follows the threshold.', control: { kind: 'choice', options: ['off', 'on'], initial: 'off' }, used_with: [] },
    { name: 'detector', title: 'Detector', help: 'What is measured.', control: { kind: 'choice', options: ['peak', 'rms'], initial: 'peak' }, used_with: [] },
    number('link', 'Link', 'percent', 0, 1, 1, 'linear', 'How much the channels share.'),
    number('lookahead', 'Look-ahead', 'seconds', 0, 0.02, 0, 'linear', 'How far it looks ahead.'),
    { name: 'sidechain', title: 'Side-chain', help: 'What the detector hears.', control: { kind: 'choice', options: ['everything', 'without_bass', 'presence', 'sibilance', 'treble'], initial: 'everything' }, used_with: [] },
  ]),
  effect('convolve', 'Convolution', 'space', 'Lays the sound of a room over the recording.', [
    { name: 'file', title: 'Response', help: 'The impulse response.', control: { kind: 'file' }, used_with: [] },
    number('predelay', 'Pre-delay', 'seconds', 0, 1, 0, 'linear', 'Silence before it.'),
  ]),
  ...([['spectral_gain', 'Spectral gain', 'Makes a part of the recording softer or louder.'], ['spectral_isolate', 'Spectral isolate', 'Keeps a part of the recording alone.'], ['spectral_heal', 'Spectral heal', 'Mends a part of the recording after what is around it.']] as const).map(([name, title, summary]) =>
    effect(name, title, 'repair', summary, [
      number('from', 'From', 'seconds', 0, 1e6, 0, 'linear', 'Where the part begins.'),
      number('to', 'To', 'seconds', 0, 1e6, 1, 'linear', 'Where it ends.'),
      number('low', 'Low', 'hz', 0, 384_000, 1000, 'linear', 'Its lowest frequency.'),
      number('high', 'High', 'hz', 0, 384_000, 4000, 'linear', 'Its highest frequency.'),
      ...(name === 'spectral_gain' ? [number('gain', 'Gain', 'dB', -120, 24, -24, 'linear', 'By how much.')] : []),
      number('fade', 'Fade', 'seconds', 0, 10, 0.005, 'linear', 'How long the change takes to set in and to end.'),
    ]),
  ),
];

export const initialArguments = (view: EffectView): Arguments =>
  Object.fromEntries(view.parameters.flatMap((p) => (p.control.kind === 'file' ? [] : [[p.name, p.control.initial]])));

/** Squared magnitude of an effect at a frequency; null when it is no filter. */
export function power(name: string, args: Arguments, f: number, rate: number): number | null {
  const value = (key: string) => Number(args[key]);
  const warp = (frequency: number) => Math.tan((Math.PI * Math.min(frequency, rate * 0.4999)) / rate);
  const w = warp(f);
  const butter = (ratio: number) => 1 / (1 + ratio ** (2 * value('order')));
  const band = () => {
    const [lo, hi] = [warp(value('low')), warp(value('high'))];
    return Math.abs((w * w - lo * hi) / (w * (hi - lo)));
  };
  const resonant = (numerator: (x: number, d: number) => number) => {
    const x = w / warp(value('center'));
    const d = x / value('q');
    return numerator(x, d) / ((1 - x * x) ** 2 + d * d);
  };
  switch (name) {
    case 'lowpass':
      return butter(w / warp(value('cutoff')));
    case 'highpass':
      return butter(warp(value('cutoff')) / w);
    case 'bandpass':
      return butter(band());
    case 'bandstop':
      return butter(1 / Math.max(1e-9, band()));
    case 'notch':
      return resonant((x) => (1 - x * x) ** 2);
    case 'rbj_bandpass':
      return resonant((_, d) => d * d);
    case 'peaking': {
      const a = 10 ** (value('gain') / 40);
      const x = w / warp(value('center'));
      const d = x / value('q');
      return ((1 - x * x) ** 2 + (d * a) ** 2) / ((1 - x * x) ** 2 + (d / a) ** 2);
    }
    case 'low_shelf':
    case 'high_shelf': {
      const a = 10 ** (value('gain') / 40);
      const x = w / warp(value('cutoff'));
      const d = (Math.sqrt(a) * x) / value('q');
      const up = (a - x * x) ** 2 + d * d;
      const down = (1 - a * x * x) ** 2 + d * d;
      return a * a * (name === 'low_shelf' ? up / down : down / up);
    }
    case 'gain':
      return 10 ** (value('gain') / 10);
    default:
      return null;
  }
}
