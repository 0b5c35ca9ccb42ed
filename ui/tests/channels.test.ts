// Which channels edits act on.

import { describe, expect, it } from 'vitest';
import { channelNames, isEdited, steppedChannels, toggledChannel, type Channels } from '../src/lib/channels';

describe('channels that edits act on', () => {
  it('are all or some, and never none', () => {
    expect(isEdited(null, 1)).toBe(true);
    expect(isEdited([0], 1)).toBe(false);
    expect(toggledChannel(null, 0, 2)).toEqual([1]);
    expect(toggledChannel([1], 1, 2)).toEqual([1]);
    expect(toggledChannel([1], 0, 2)).toBe(null);
    expect(toggledChannel([0, 2], 1, 4)).toEqual([0, 1, 2]);
    expect(toggledChannel([0, 1, 2], 1, 4)).toEqual([0, 2]);
  });

  it('are gone through one by one, and then all again', () => {
    const walk = (count: number, step: 1 | -1): Channels[] => {
      const seen: Channels[] = [];
      let now: Channels = null;
      for (let n = 0; n <= count; n++) seen.push((now = steppedChannels(now, count, step)));
      return seen;
    };
    expect(walk(2, 1)).toEqual([[0], [1], null]);
    expect(walk(3, -1)).toEqual([[2], [1], [0], null]);
    expect(walk(1, 1)).toEqual([null, null]);
    expect(steppedChannels([0, 2], 4, 1)).toEqual([2]);
    expect(steppedChannels([0, 2], 4, -1)).toEqual([0]);
  });

  it('are called as their lanes are', () => {
    expect(channelNames([0, 1], 2)).toBe('L, R');
    expect(channelNames([1, 4], 6)).toBe('2, 5');
  });
});
