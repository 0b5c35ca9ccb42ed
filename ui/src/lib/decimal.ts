// The decimal mark of numbers that are read: a point, or a comma where the language writes one. Fields take both.

let mark = '.';

export function setDecimalMark(next: string): void {
  mark = next;
}

/** A number written with a point, with the language's decimal mark. */
export const withMark = (number: string): string => (mark === '.' ? number : number.replace('.', mark));

/** A number with so many decimals, and a true minus sign. */
export const fixed = (value: number, decimals: number): string => withMark(value.toFixed(decimals).replace(/^-(?=0(?:\.0*)?$)/, '').replace('-', '−'));
