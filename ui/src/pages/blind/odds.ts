// Describes the odds of a rule for listeners in a sentence.

import type { BlindOdds, Rule } from '../../bindings';
import { text } from '../../text/catalogue';
import { fixed } from '../../lib/decimal';

const percent = (share: number): string => fixed(100 * share, 1);

export function blindOdds({ guesser_passes, ability, power, expected_trials }: Pick<BlindOdds, 'guesser_passes' | 'ability' | 'power' | 'expected_trials'>, kind: Rule['kind']): string {
  const [guesser, share, passes] = [percent(guesser_passes), percent(ability), percent(power)];
  return kind === 'fixed' ? text.blind.oddsFixed(guesser, share, passes) : text.blind.odds(guesser, share, passes, fixed(expected_trials, 1));
}
