// The decimal mark of displayed numbers: a point or a comma, by language. Fields accept both.

let mark = '.';

export function setDecimalMark(next: string): void {
  mark = next;
}

/** Replaces the point of a number by the language's decimal mark. */
export const withMark = (number: string): string => (mark === '.' ? number : number.replace('.', mark));

/** Formats a number with a fixed number of decimals for other programs: with a point, and without the sign of a zero. */
export const plainFixed = (value: number, decimals: number): string => value.toFixed(decimals).replace(/^-(?=0(?:\.0*)?$)/, '');

/** The same for people: with the language's decimal mark and a true minus sign. */
export const fixed = (value: number, decimals: number): string => withMark(plainFixed(value, decimals).replace('-', '−'));
