// Channel counts in words, and the channels that edits act on: null for all.

import { text } from '../text/catalogue';

export const channelsInWords = (count: number): string => (count === 1 ? text.status.mono : count === 2 ? text.status.stereo : text.status.channels(count));

export type Channels = readonly number[] | null;

export const isEdited = (channels: Channels, channel: number): boolean => channels === null || channels.includes(channel);

/** Toggles a channel. The last one stays, since edits need at least one. */
export function toggledChannel(channels: Channels, channel: number, count: number): Channels {
  const all = Array.from({ length: count }, (_, index) => index);
  const next = all.filter((each) => isEdited(channels, each) !== (each === channel));
  return next.length === 0 ? channels : next.length === count ? null : next;
}

/** Steps through single channels, then all of them again. */
export function steppedChannels(channels: Channels, count: number, step: 1 | -1): Channels {
  if (count < 2) return null;
  const at = channels === null ? (step > 0 ? -1 : count) : step > 0 ? (channels.at(-1) ?? 0) : (channels[0] ?? 0);
  // The first step from several channels is to one of them.
  const next = channels !== null && channels.length > 1 ? at : at + step;
  return next < 0 || next >= count ? null : [next];
}

/** The channels by their names, such as "L". */
export function channelNames(channels: readonly number[], count: number): string {
  const names = text.lanes.names('each', count);
  return channels.map((channel) => names[channel] ?? `${channel + 1}`).join(', ');
}
