// Who draws spectrograms: WebGL2 where a graphics card does it, otherwise the processor. Their pictures are the same.

import { CanvasRenderer } from './spectrogram-canvas';
import type { Picture } from './spectrogram-picture';
import { WebGlRenderer } from './spectrogram-webgl';
import { hardwareWebGl } from './webgl-probe';

export interface SpectrogramRenderer {
  readonly kind: 'canvas' | 'webgl';
  /** Whether the last picture was the one before, moved: right to a hundredth of a column, and to be drawn whole once it rests. */
  readonly moved: boolean;
  draw(picture: Picture, whole?: boolean): void;
  dispose(): void;
}

/** For a canvas that nobody has drawn on yet. Null where there is neither. */
export function rendererFor(canvas: HTMLCanvasElement, wanted: 'auto' | 'canvas' = 'auto'): SpectrogramRenderer | null {
  if (wanted === 'auto' && hardwareWebGl()) {
    const gl = canvas.getContext('webgl2', { alpha: true, antialias: false, depth: false, premultipliedAlpha: true, preserveDrawingBuffer: false });
    if (gl) {
      try {
        return new WebGlRenderer(gl);
      } catch {
        // A driver that cannot build the programs leaves this canvas to nobody else; the caller takes a fresh one.
        return null;
      }
    }
  }
  const context = canvas.getContext('2d');
  return context ? new CanvasRenderer(context) : null;
}
