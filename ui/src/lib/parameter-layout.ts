// How a slot draws many parameters: bands of an equaliser as rows, a row of gains as faders, everything else one below
// the other.

import type { ControlView, ParameterView, Unit, Value } from '../bindings';

export type NumberControl = Extract<ControlView, { kind: 'number' }>;
export type NumberParameter = ParameterView & { control: NumberControl };

export interface Band {
  frequency: NumberParameter;
  gain: NumberParameter;
  width: NumberParameter;
}

export type ParameterBlock = { kind: 'rows'; parameters: ParameterView[] } | { kind: 'faders'; parameters: NumberParameter[] } | { kind: 'bands'; bands: Band[] };

const MIN_FADERS = 6;
const MIN_BANDS = 2;

const isNumber = (parameter: ParameterView | undefined, unit: Unit): parameter is NumberParameter => parameter?.control.kind === 'number' && parameter.control.unit === unit;

function fadersFrom(parameters: ParameterView[], at: number): NumberParameter[] {
  const first = parameters[at];
  if (!isNumber(first, 'dB')) return [];
  const found: NumberParameter[] = [];
  for (const each of parameters.slice(at)) {
    if (!isNumber(each, 'dB') || each.control.min !== first.control.min || each.control.max !== first.control.max) break;
    found.push(each);
  }
  return found;
}

function bandsFrom(parameters: ParameterView[], at: number): Band[] {
  const bands: Band[] = [];
  for (let i = at; i + 2 < parameters.length; i += 3) {
    const [frequency, gain, width] = parameters.slice(i, i + 3);
    if (!isNumber(frequency, 'hz') || !isNumber(gain, 'dB') || !isNumber(width, 'none')) break;
    bands.push({ frequency, gain, width });
  }
  return bands;
}

/** The parameters in their order, in blocks that are drawn alike. */
export function blocksOf(parameters: ParameterView[]): ParameterBlock[] {
  const blocks: ParameterBlock[] = [];
  for (let at = 0; at < parameters.length; ) {
    const faders = fadersFrom(parameters, at);
    const bands = bandsFrom(parameters, at);
    const last = blocks.at(-1);
    const single = parameters[at];
    if (faders.length >= MIN_FADERS) {
      blocks.push({ kind: 'faders', parameters: faders });
      at += faders.length;
    } else if (bands.length >= MIN_BANDS) {
      blocks.push({ kind: 'bands', bands });
      at += bands.length * 3;
    } else {
      if (single && last?.kind === 'rows') last.parameters.push(single);
      else if (single) blocks.push({ kind: 'rows', parameters: [single] });
      at++;
    }
  }
  return blocks;
}

/** The word of a condition that a time or a rate is given as a note. */
const NOTE = 'note';

/** The parameters that count with these arguments: of a filter without ripples, no ripple. */
export function usedParameters(parameters: ParameterView[], given: Record<string, Value>): ParameterView[] {
  const standing = (choice: string): unknown => {
    const control = parameters.find((each) => each.name === choice)?.control;
    const value = given[choice] ?? (control === undefined || control.kind === 'file' ? undefined : control.initial);
    return control?.kind === 'number_or_note' && typeof value === 'string' ? NOTE : value;
  };
  return parameters.filter(({ used_with }) => used_with.length === 0 || used_with.some(({ choice, words }) => words.includes(String(standing(choice)))));
}
