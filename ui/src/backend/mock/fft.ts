// A plain radix-2 transform, enough for the synthetic backend.

const twiddles = new Map<number, { cos: Float64Array; sin: Float64Array }>();

function twiddle(size: number): { cos: Float64Array; sin: Float64Array } {
  const known = twiddles.get(size);
  if (known) return known;
  const cos = new Float64Array(size / 2);
  const sin = new Float64Array(size / 2);
  for (let i = 0; i < size / 2; i++) {
    cos[i] = Math.cos((2 * Math.PI * i) / size);
    sin[i] = -Math.sin((2 * Math.PI * i) / size);
  }
  const made = { cos, sin };
  twiddles.set(size, made);
  return made;
}

/** In place; the length is a power of two. */
export function transform(re: Float64Array, im: Float64Array): void {
  const size = re.length;
  const { cos, sin } = twiddle(size);
  for (let i = 1, j = 0; i < size; i++) {
    let bit = size >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      const a = re[i] ?? 0;
      const b = im[i] ?? 0;
      re[i] = re[j] ?? 0;
      im[i] = im[j] ?? 0;
      re[j] = a;
      im[j] = b;
    }
  }
  for (let length = 2; length <= size; length <<= 1) {
    const half = length >> 1;
    const stride = size / length;
    for (let start = 0; start < size; start += length) {
      for (let k = 0; k < half; k++) {
        const c = cos[k * stride] ?? 0;
        const s = sin[k * stride] ?? 0;
        const low = start + k;
        const high = low + half;
        const xr = (re[high] ?? 0) * c - (im[high] ?? 0) * s;
        const xi = (re[high] ?? 0) * s + (im[high] ?? 0) * c;
        re[high] = (re[low] ?? 0) - xr;
        im[high] = (im[low] ?? 0) - xi;
        re[low] = (re[low] ?? 0) + xr;
        im[low] = (im[low] ?? 0) + xi;
      }
    }
  }
}
