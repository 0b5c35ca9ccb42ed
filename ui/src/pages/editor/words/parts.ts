// Words of effects that act on a part of the recording.

import { message } from '../../../text/message';

export const parts = {
  onlySelection: message('Only the selection ({time})', (time: string) => ({ time })),
  toSelection: 'Apply to selection only',
  move: 'Move part to selection',
  toAll: 'Apply to the whole recording',
  select: 'Select this part',
  from: 'From',
  to: 'To',
  fade: 'Fade',
  fadeHelp: 'The part fades in and out over this length, within it.',
  bar: message('{names}, {from} to {to}', (names: string, from: string, to: string) => ({ names, from, to })),
  barHelp: 'Drag moves the part, its edges stretch it. Arrow keys move it, with Shift its end.',
  inAnother: 'This effect acts on a part already.',
  fadeRange: 'The fade must be 0 to 10 s.',
};
