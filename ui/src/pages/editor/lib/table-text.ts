// Values as text for spreadsheets: a line for each, with its name, number and unit between tabs. Numbers have a point and no
// grouping, whatever the window's language.

import { plainFixed } from '../../../lib/decimal';

export interface Measured {
  name: string;
  /** None for what has no value, such as the level of silence. */
  value: number | string | null;
  unit?: string;
  /** Decimals of a number; 2 unless it says otherwise. */
  decimals?: number;
}

const MINUS_INFINITY = '-inf';

function written({ value, decimals = 2 }: Measured): string {
  if (value === null || value === -Infinity) return MINUS_INFINITY;
  // Tabs and line ends in names must not break the lines.
  if (typeof value === 'string') return value.replace(/[\t\r\n]+/g, ' ');
  return Number.isFinite(value) ? plainFixed(value, decimals) : '';
}

/** Blocks of values with a title each, blank lines between them. */
export const tableText = (blocks: { title: string; rows: Measured[] }[]): string =>
  blocks.map(({ title, rows }) => [written({ name: '', value: title }), ...rows.map((row) => [row.name, written(row), row.unit ?? ''].join('\t').trimEnd())].join('\n')).join('\n\n') + '\n';
