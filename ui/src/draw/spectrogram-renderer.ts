// Chooses the renderer: WebGL2 if backed by a graphics card, otherwise the processor. Their pictures are the same.

import { CanvasRenderer } from './spectrogram-canvas';
import type { Picture } from './spectrogram-picture';
import { WebGlRenderer } from './spectrogram-webgl';
import { hardwareWebGl } from './webgl-probe';

export interface SpectrogramRenderer {
  readonly kind: 'canvas' | 'webgl';
  /** Whether the last draw only moved the picture: accurate to a hundredth of a column, to be redrawn once at rest. */
  readonly moved: boolean;
  draw(picture: Picture, whole?: boolean): void;
  dispose(): void;
}

/** Returns a renderer for an unused canvas; null if none is available. */
export function rendererFor(canvas: HTMLCanvasElement, wanted: 'auto' | 'canvas' = 'auto'): SpectrogramRenderer | null {
  if (wanted === 'auto' && hardwareWebGl()) {
    const gl = canvas.getContext('webgl2', { alpha: true, antialias: false, depth: false, premultipliedAlpha: true, preserveDrawingBuffer: false });
    if (gl) {
      try {
        return new WebGlRenderer(gl);
      } catch {
        // If the driver cannot build the programs, the canvas is tied to WebGL; the caller needs a fresh one.
        return null;
      }
    }
  }
  const context = canvas.getContext('2d');
  return context ? new CanvasRenderer(context) : null;
}
