// What an effect says about the selected part of the recording.

import type { SelectionUse } from '../bindings';

export const selectionUse = {
  between: (from: string, to: string) => `${from}–${to}`,
  actsOnAll: 'Acts on the whole recording',
  actsOn: (time: string, band: string) => `Acts on ${time}, ${band}`,
  noiseFrom: (time: string) => `Noise from ${time}`,
  noiseFound: 'Noise from the quietest parts',
  levelOf: (time: string) => `Level of ${time}`,
  levelOfAll: 'Level of the whole recording',
  fades: (time: string) => `Fades over ${time}`,
  clear: (effect: string) => `Use the whole recording for ${effect}`,
  take: {
    noise: (time: string) => `Noise from the selection (${time})`,
    level: (time: string) => `Level of the selection (${time})`,
    region: (time: string) => `Use the selection (${time})`,
    fade_in: (time: string) => `Fade over the selection (${time})`,
    fade_out: (time: string) => `Fade over the selection (${time})`,
  } satisfies Record<SelectionUse, (time: string) => string>,
};
