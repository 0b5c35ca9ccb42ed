// A canvas with the screen's resolution: its pixels are device pixels.

export interface Surface {
  context: CanvasRenderingContext2D;
  /** In device pixels. */
  width: number;
  height: number;
  ratio: number;
}

/** Sizes a canvas for its box; changing a canvas's size clears it, so nothing is touched while it fits. */
export function surface(canvas: HTMLCanvasElement): Surface | null {
  const context = canvas.getContext('2d');
  if (!context) return null;
  const ratio = window.devicePixelRatio || 1;
  const width = Math.max(1, Math.round(canvas.clientWidth * ratio));
  const height = Math.max(1, Math.round(canvas.clientHeight * ratio));
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  return { context, width, height, ratio };
}

/** Draws once in the next animation frame, however often it is requested before. */
export function onFrame(draw: () => void): { request(): void; cancel(): void } {
  let pending = 0;
  return {
    request() {
      if (pending === 0) {
        pending = requestAnimationFrame(() => {
          pending = 0;
          draw();
        });
      }
    },
    cancel() {
      if (pending !== 0) cancelAnimationFrame(pending);
      pending = 0;
    },
  };
}

/** Calls when the box of an element or the screen's pixel ratio changes. */
export function onResize(element: Element, action: () => void): () => void {
  const observer = new ResizeObserver(action);
  observer.observe(element);
  let media: MediaQueryList | null = null;
  const watch = () => {
    media?.removeEventListener('change', changed);
    media = window.matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`);
    media.addEventListener('change', changed);
  };
  const changed = () => {
    watch();
    action();
  };
  watch();
  return () => {
    observer.disconnect();
    media?.removeEventListener('change', changed);
  };
}
