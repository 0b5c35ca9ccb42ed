// Detects whether WebGL2 runs on a graphics card, or in software, which is slower than drawing without it.

/** Names of software renderers. Some web views hide the name: those are timed. */
const SOFTWARE = /llvmpipe|swiftshader|softpipe|software|basic render/i;

export const isSoftware = (renderer: string): boolean => SOFTWARE.test(renderer);

const SIDE = 512;
const ROUNDS = 512;
/** A weak graphics card takes a few milliseconds for the work below, two idle processor cores over twenty. */
const MAX_MS = 8;

const VERTEX = `#version 300 es
void main() {
  gl_Position = vec4(float((gl_VertexID & 1) << 2) - 1.0, float((gl_VertexID & 2) << 1) - 1.0, 0.0, 1.0);
}`;

// Each round depends on the last, and the result is read: nothing can be optimised away.
const WORK = `#version 300 es
precision highp float;
precision highp int;
out vec4 colour;
void main() {
  uint state = uint(gl_FragCoord.x) * 1973u + uint(gl_FragCoord.y) * 9277u;
  for (int round = 0; round < ${ROUNDS}; round++) state = state * 1664525u + 1013904223u ^ (state >> 7);
  colour = vec4(float(state & 255u) / 255.0, 0.0, 0.0, 1.0);
}`;

let answer: boolean | null = null;

/** Probes once, on a separate canvas: the first context of a canvas fixes its type. */
export function hardwareWebGl(): boolean {
  answer ??= ask();
  return answer;
}

function ask(): boolean {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = SIDE;
  const gl = canvas.getContext('webgl2', { antialias: false, depth: false });
  if (!gl) return false;
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  const name = String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  const fast = !isSoftware(name) && isFast(gl);
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return fast;
}

function isFast(gl: WebGL2RenderingContext): boolean {
  const program = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, WORK]] as const) {
    const shader = gl.createShader(kind);
    if (!shader) return false;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) return false;
  gl.useProgram(program);
  gl.viewport(0, 0, SIDE, SIDE);
  const pixel = new Uint8Array(4);
  const draw = (): number => {
    const begun = performance.now();
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    // Reading waits for the drawing to finish.
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    return performance.now() - begun;
  };
  // The first run compiles; of the others the best counts, since load can only slow them down.
  draw();
  return Math.min(draw(), draw(), draw()) <= MAX_MS;
}
