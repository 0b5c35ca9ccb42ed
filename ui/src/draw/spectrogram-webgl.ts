// Spectrograms drawn by the graphics card: the integer arithmetic of `spectrogram-picture`, in two passes.
//
// The first writes the codes of each side into a texture of the picture's size, one patch at a time; the second looks
// up their colours. Each tile has a texture, made when it is first drawn and rebuilt when its border changes.

import type { Patch } from './spectrogram-grid';
import { FADE_CODES, LAST_CELL, NO_DIFFERENCE, shows, UNKNOWN, type ColourTables, type Picture } from './spectrogram-picture';
import type { SpectrogramRenderer } from './spectrogram-renderer';
import { TILE_STRIDE, type CodeTile } from './spectrogram-tile';

const MAX_TEXTURES = 384;
const TABLE_SIDE = 256;

const VERTEX = `#version 300 es
void main() {
  // One triangle that covers the viewport.
  gl_Position = vec4(float((gl_VertexID & 1) << 2) - 1.0, float((gl_VertexID & 2) << 1) - 1.0, 0.0, 1.0);
}`;

const RESOLVE = `#version 300 es
precision highp float;
precision highp int;
precision highp usampler2D;
uniform usampler2D tile;
uniform ivec2 origin;
uniform ivec2 first;
uniform ivec2 step_;
out uint code;
void main() {
  ivec2 place = first + (ivec2(gl_FragCoord.xy) - origin) * step_;
  ivec2 cell = clamp(place >> 16, ivec2(0), ivec2(${LAST_CELL}));
  uvec2 f = uvec2((place >> 8) & 255);
  uint a = texelFetch(tile, cell, 0).r;
  uint b = texelFetch(tile, cell + ivec2(1, 0), 0).r;
  uint c = texelFetch(tile, cell + ivec2(0, 1), 0).r;
  uint d = texelFetch(tile, cell + ivec2(1, 1), 0).r;
  uint low = a * (256u - f.x) + b * f.x;
  uint high = c * (256u - f.x) + d * f.x;
  code = (low * (256u - f.y) + high * f.y + 32768u) >> 16;
}`;

const COLOUR = `#version 300 es
precision highp float;
precision highp int;
precision highp usampler2D;
uniform usampler2D original;
uniform usampler2D processed;
uniform sampler2D levels;
uniform sampler2D differences;
uniform int show;
uniform int height;
uniform uint floorCode;
out vec4 colour;
vec4 entry(sampler2D table, uint code) {
  return texelFetch(table, ivec2(int(code) & 255, int(code) >> 8), 0);
}
void main() {
  ivec2 place = ivec2(int(gl_FragCoord.x), height - 1 - int(gl_FragCoord.y));
  uint a = texelFetch(original, place, 0).r;
  uint b = show == 0 ? a : texelFetch(processed, place, 0).r;
  if (show < 2) {
    colour = entry(levels, b);
  } else if (a == ${UNKNOWN}u || b == ${UNKNOWN}u) {
    colour = vec4(0.0);
  } else {
    int above = clamp(int(max(a, b)) - int(floorCode), 0, ${FADE_CODES});
    int difference = (int(b) - int(a)) * above / ${FADE_CODES};
    colour = entry(differences, uint(clamp(difference + ${NO_DIFFERENCE}, 0, 65535)));
  }
}`;

interface TileTexture {
  texture: WebGLTexture;
  version: number;
  used: number;
}

interface Program {
  program: WebGLProgram;
  at(name: string): WebGLUniformLocation | null;
}

interface Plane {
  texture: WebGLTexture;
  frame: WebGLFramebuffer;
}

export class WebGlRenderer implements SpectrogramRenderer {
  readonly kind = 'webgl';
  readonly moved = false;
  private readonly resolving: Program;
  private readonly colouring: Program;
  private readonly tiles = new Map<CodeTile, TileTexture>();
  private readonly levels: WebGLTexture;
  private readonly differences: WebGLTexture;
  private tables: ColourTables | null = null;
  private planes: [Plane, Plane] | null = null;
  private width = 0;
  private height = 0;
  private clock = 0;

  constructor(private readonly gl: WebGL2RenderingContext) {
    this.resolving = this.program(RESOLVE);
    this.colouring = this.program(COLOUR);
    this.levels = this.texture();
    this.differences = this.texture();
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    gl.disable(gl.BLEND);
    gl.disable(gl.DITHER);
  }

  draw(picture: Picture): void {
    const { gl } = this;
    if (gl.isContextLost()) return;
    this.fit(picture.width, picture.height);
    this.take(picture.tables);
    const planes = this.planes;
    if (!planes) return;
    if (shows(picture, 'original')) this.fill(planes[0], picture.original);
    if (shows(picture, 'processed')) this.fill(planes[1], picture.processed);
    this.show(picture, planes);
    this.dropTextures();
  }

  dispose(): void {
    const { gl } = this;
    for (const { texture } of this.tiles.values()) gl.deleteTexture(texture);
    this.tiles.clear();
    gl.getExtension('WEBGL_lose_context')?.loseContext();
  }

  private fill(plane: Plane, patches: Patch[]): void {
    const { gl } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, plane.frame);
    gl.viewport(0, 0, this.width, this.height);
    gl.clearBufferuiv(gl.COLOR, 0, [UNKNOWN, 0, 0, 0]);
    gl.useProgram(this.resolving.program);
    gl.activeTexture(gl.TEXTURE0);
    gl.uniform1i(this.resolving.at('tile'), 0);
    for (const patch of patches) {
      this.bindTile(patch.tile);
      // The plane's rows run downwards, like the picture's.
      gl.viewport(patch.x0, patch.y0, patch.x1 - patch.x0, patch.y1 - patch.y0);
      gl.uniform2i(this.resolving.at('origin'), patch.x0, patch.y0);
      gl.uniform2i(this.resolving.at('first'), patch.u0, patch.v0);
      gl.uniform2i(this.resolving.at('step_'), patch.du, patch.dv);
      gl.drawArrays(gl.TRIANGLES, 0, 3);
    }
  }

  private show(picture: Picture, planes: [Plane, Plane]): void {
    const { gl } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, this.width, this.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.useProgram(this.colouring.program);
    for (const [unit, texture, name] of [[0, planes[0].texture, 'original'], [1, planes[1].texture, 'processed'], [2, this.levels, 'levels'], [3, this.differences, 'differences']] as const) {
      gl.activeTexture(gl.TEXTURE0 + unit);
      gl.bindTexture(gl.TEXTURE_2D, texture);
      gl.uniform1i(this.colouring.at(name), unit);
    }
    gl.uniform1i(this.colouring.at('height'), this.height);
    gl.uniform1ui(this.colouring.at('floorCode'), picture.tables.floorCode);
    for (const { x, y, width, height, show } of picture.regions) {
      gl.viewport(x, this.height - y - height, width, height);
      gl.uniform1i(this.colouring.at('show'), show === 'original' ? 0 : show === 'processed' ? 1 : 2);
      gl.drawArrays(gl.TRIANGLES, 0, 3);
    }
  }

  private bindTile(tile: CodeTile): void {
    const { gl } = this;
    let held = this.tiles.get(tile);
    if (held) gl.bindTexture(gl.TEXTURE_2D, held.texture);
    else {
      held = { texture: this.texture(), version: -1, used: 0 };
      this.tiles.set(tile, held);
    }
    held.used = ++this.clock;
    if (held.version === tile.version) return;
    held.version = tile.version;
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.R16UI, TILE_STRIDE, TILE_STRIDE, 0, gl.RED_INTEGER, gl.UNSIGNED_SHORT, tile.codes);
  }

  private dropTextures(): void {
    if (this.tiles.size <= MAX_TEXTURES) return;
    const oldest = [...this.tiles].sort(([, a], [, b]) => a.used - b.used).slice(0, this.tiles.size - MAX_TEXTURES);
    for (const [tile, { texture }] of oldest) {
      this.gl.deleteTexture(texture);
      this.tiles.delete(tile);
    }
  }

  private fit(width: number, height: number): void {
    const { gl } = this;
    if (this.planes && this.width === width && this.height === height) return;
    this.width = gl.canvas.width = width;
    this.height = gl.canvas.height = height;
    for (const plane of this.planes ?? []) {
      gl.deleteTexture(plane.texture);
      gl.deleteFramebuffer(plane.frame);
    }
    this.planes = [this.plane(), this.plane()];
  }

  private plane(): Plane {
    const { gl } = this;
    const texture = this.texture();
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.R16UI, this.width, this.height);
    const frame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
    return { texture, frame };
  }

  private take(tables: ColourTables): void {
    const { gl } = this;
    if (this.tables === tables) return;
    this.tables = tables;
    gl.activeTexture(gl.TEXTURE0);
    for (const [texture, table] of [[this.levels, tables.levels], [this.differences, tables.differences]] as const) {
      gl.bindTexture(gl.TEXTURE_2D, texture);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, TABLE_SIDE, TABLE_SIDE, 0, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(table.buffer));
    }
  }

  /** Creates and binds a texture without filtering. */
  private texture(): WebGLTexture {
    const { gl } = this;
    const texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    return texture;
  }

  private program(fragment: string): Program {
    const { gl } = this;
    const program = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, fragment]] as const) {
      const shader = gl.createShader(kind);
      if (!shader) throw new Error('no shader could be made');
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program) ?? 'the program could not be linked');
    const places = new Map<string, WebGLUniformLocation | null>();
    return {
      program,
      at(name) {
        if (!places.has(name)) places.set(name, gl.getUniformLocation(program, name));
        return places.get(name) ?? null;
      },
    };
  }
}
