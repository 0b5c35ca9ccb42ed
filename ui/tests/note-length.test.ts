import { describe, expect, it } from 'vitest';
import { fromNote, parseNote, steppedNote } from '../src/lib/note-length';

describe('notes', () => {
  it('are read as people type them and written in one way', () => {
    expect(['1/8', ' 1 / 8 d', '1/8T', '03/16', '1/0', '1', '1/8x', '129/1', ''].map(parseNote)).toEqual(['1/8', '1/8d', '1/8t', '3/16', null, null, null, null, null]);
  });

  it('last what the tempo makes of them', () => {
    expect(fromNote('1/4', 60, 'seconds')).toBe(1);
    expect(fromNote('1/8d', 120, 'seconds')).toBeCloseTo(0.375, 12);
    expect(fromNote('1/8t', 120, 'hz')).toBeCloseTo(6, 12);
    expect(fromNote('x', 120, 'hz')).toBeNull();
  });

  it('step to the next usual one', () => {
    expect(steppedNote('1/8', 1)).toBe('1/4t');
    expect(steppedNote('1/8', -1)).toBe('1/16d');
    expect(steppedNote('3/16', 1)).toBe('1/4');
    expect(steppedNote('1/1d', 1)).toBe('1/1d');
  });
});
