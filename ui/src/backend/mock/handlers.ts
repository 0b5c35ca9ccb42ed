// What answers the commands of the synthetic backend.

import type { Commands } from '../../bindings';
import type { CommandName } from '../backend';

export type Handlers = { [K in CommandName]: (args: Commands[K]['args']) => Commands[K]['result'] };

/** A failure as the core reports one. */
export function failure(code: string, message: string): { code: string; message: string; notation: null } {
  return { code, message, notation: null };
}
