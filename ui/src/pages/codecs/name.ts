/** The name of a codec for a table, with only the last part of a path: `encodec:models/a@6` as `encodec:a@6`. */
export function shortCodecName(name: string): string {
  const [, family = '', path = '', end = ''] = /^([a-z0-9]+):(.*?)((?:@[^@/\\]*)?)$/i.exec(name) ?? [];
  const last = path.split(/[/\\]/).filter((part) => part !== '').at(-1);
  return family === '' || last === undefined ? name : `${family}:${last}${end}`;
}
