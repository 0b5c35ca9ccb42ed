// An effect's words about the selected part of the recording.

import type { SelectionUse } from '../../../bindings';
import { message } from '../../../text/message';

export const selectionUse = {
  between: message('{from}–{to}', (from: string, to: string) => ({ from, to })),
  actsOnAll: 'Acts on the whole recording',
  actsOn: message('Acts on {time}, {band}', (time: string, band: string) => ({ time, band })),
  noiseFrom: message('Noise from {time}', (time: string) => ({ time })),
  noiseFound: 'Noise from the quietest parts',
  levelOf: message('Level of {time}', (time: string) => ({ time })),
  levelOfAll: 'Level of the whole recording',
  fades: message('Fades over {time}', (time: string) => ({ time })),
  clear: message('Use the whole recording for {effect}', (effect: string) => ({ effect })),
  take: {
    noise: message('Noise from the selection ({time})', (time: string) => ({ time })),
    level: message('Level of the selection ({time})', (time: string) => ({ time })),
    region: message('Use the selection ({time})', (time: string) => ({ time })),
    fade_in: message('Fade over the selection ({time})', (time: string) => ({ time })),
    fade_out: message('Fade over the selection ({time})', (time: string) => ({ time })),
  } satisfies Record<SelectionUse, (time: string) => string>,
};
