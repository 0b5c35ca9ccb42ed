// Lets parts of a row shrink when it is too short for them, as much as needed and no more.

/** The value of `data-tight` for the steps taken: "1 2" for two. */
const stepsUpTo = (count: number): string => Array.from({ length: count }, (_, at) => `${at + 1}`).join(' ');

/**
 * Sets `data-tight` of a row to the fewest steps, up to `most`, that let its parts fit. Styles define what a step
 * shrinks. The window's width alone does not decide, since words have different lengths in other languages.
 */
export function fitted(most: number): (row: HTMLElement) => () => void {
  return (row) => {
    const fit = (): void => {
      for (let count = 0; count <= most; count++) {
        row.dataset['tight'] = stepsUpTo(count);
        if (row.scrollWidth <= row.clientWidth) return;
      }
    };
    const sizes = new ResizeObserver(fit);
    // The parts also change: the menus, or whether a gain is shown.
    const observe = (): void => {
      sizes.disconnect();
      for (const part of [row, ...row.children]) sizes.observe(part);
    };
    const parts = new MutationObserver(() => {
      observe();
      fit();
    });
    parts.observe(row, { childList: true });
    observe();
    fit();
    return () => {
      sizes.disconnect();
      parts.disconnect();
    };
  };
}
