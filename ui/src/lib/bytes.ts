// Converts between the core's byte offsets and positions in a JavaScript string.

const encoder = new TextEncoder();

/** The position in `text` that is `bytes` bytes into its UTF-8 form. */
export function positionFromBytes(text: string, bytes: number): number {
  let seen = 0;
  let position = 0;
  for (const character of text) {
    if (seen >= bytes) break;
    seen += encoder.encode(character).length;
    position += character.length;
  }
  return position;
}
