// What a rule means for listeners, in a sentence.

import type { BlindOdds, Rule } from '../bindings';
import { fixedTo } from '../lib/compare';
import { text } from './catalogue';

const percent = (share: number): string => fixedTo(100 * share, 1);

export function blindOdds({ guesser_passes, ability, power, expected_trials }: Pick<BlindOdds, 'guesser_passes' | 'ability' | 'power' | 'expected_trials'>, kind: Rule['kind']): string {
  const t = text.blind;
  const [guesser, share, passes] = [percent(guesser_passes), percent(ability), percent(power)];
  return kind === 'fixed' ? t.oddsFixed(guesser, share, passes) : t.odds(guesser, share, passes, fixedTo(expected_trials, 1));
}
