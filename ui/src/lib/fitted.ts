// Parts that give way when their row is too short for them: as much as needed, and no more.

/** The steps that are taken, as `data-tight` holds them: "1 2" for two. */
const stepsUpTo = (count: number): string => Array.from({ length: count }, (_, at) => `${at + 1}`).join(' ');

/**
 * Sets `data-tight` of a row to as few steps as let its parts fit, of `most`. Styles say what a step makes smaller. Words
 * have other lengths in other languages, so the window's width alone does not tell.
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
    // The parts change too: which menus there are, whether a gain is shown.
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
