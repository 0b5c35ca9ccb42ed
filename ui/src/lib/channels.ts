// A number of channels in words.

import { text } from '../text/catalogue';

export const channelsInWords = (count: number): string => (count === 1 ? text.status.mono : count === 2 ? text.status.stereo : text.status.channels(count));
