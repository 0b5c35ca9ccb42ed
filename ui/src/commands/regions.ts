// F6: from one region of the window to the next.

const focusable = 'button:not(:disabled), [tabindex="0"], input, textarea';

export function cycleRegion(step: 1 | -1): void {
  const regions = [...document.querySelectorAll<HTMLElement>('[data-region]')];
  if (regions.length === 0) return;
  const current = regions.findIndex((region) => region.contains(document.activeElement));
  for (let tries = 1; tries <= regions.length; tries++) {
    const from = current === -1 && step < 0 ? 0 : current;
    const region = regions[(from + step * tries + regions.length * tries) % regions.length];
    const target = region?.querySelector<HTMLElement>('[data-region-focus]') ?? region?.querySelector<HTMLElement>(focusable);
    if (target) {
      target.focus();
      return;
    }
  }
}
