// The decimal mark of displayed numbers: a point or a comma, by language. Fields accept both.

let mark = '.';

export function setDecimalMark(next: string): void {
  mark = next;
}

/** Replaces the point of a number by the language's decimal mark. */
export const withMark = (number: string): string => (mark === '.' ? number : number.replace('.', mark));

/** Formats a number with a fixed number of decimals and a true minus sign. */
export const fixed = (value: number, decimals: number): string => withMark(value.toFixed(decimals).replace(/^-(?=0(?:\.0*)?$)/, '').replace('-', '−'));

/** The same with a point in every language, and without the sign of a zero. */
export const fixedTo = (value: number, decimals: number): string => {
  const text = value.toFixed(decimals);
  return (Number(text) === 0 ? text.replace('-', '') : text).replace('-', '−');
};
