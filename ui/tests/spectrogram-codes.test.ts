import { describe, expect, it } from 'vitest';
import { codeFromDb, dbFromCode, decodeCodes } from '../src/backend';
import { encodeCodes } from '../src/backend/binary';

describe('codes', () => {
  it('are decibels in steps of 5 mdB, silence being 0', () => {
    expect(codeFromDb(0)).toBe(40_000);
    expect(codeFromDb(-Infinity)).toBe(0);
    expect(codeFromDb(-300)).toBe(0);
    expect(dbFromCode(codeFromDb(-37.215))).toBeCloseTo(-37.215, 9);
    const block = decodeCodes(encodeCodes(2, 2, false, Uint16Array.from([1, 2, 3, 4])));
    expect(block).toMatchObject({ columns: 2, rows: 2, exact: false });
    expect([...block.codes]).toEqual([1, 2, 3, 4]);
  });
});
