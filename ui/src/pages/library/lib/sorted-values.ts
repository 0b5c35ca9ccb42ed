// The values of very many things that stand in the order of their values, found out by looking at few of them.

/** The result of a look: a text, null for none, or undefined when the thing itself is no longer there. */
export type Seen = string | null | undefined;

/** From `from` up to the next run all have a value that is written like this, but for capitals. */
export interface Run {
  from: number;
  value: string | null;
}

/** So many are looked at first, and again so many wherever the value changes. */
const FIRST = 96;
const PARTS = 8;

/** Case makes no difference, as in the order; what is not there is like nothing, not even like itself. */
const alike = (one: Seen, other: Seen): boolean => one !== undefined && other !== undefined && (one?.toLowerCase() ?? null) === (other?.toLowerCase() ?? null);

/** Between two of the same value there is no other, so only the places where it changes are looked for. */
export async function runsOf(count: number, look: (places: number[]) => Promise<Seen[]>): Promise<Run[]> {
  const seen = new Map<number, Seen>();
  let wanted = count === 0 ? [] : spread(0, count - 1, FIRST);
  while (wanted.length > 0) {
    const found = await look(wanted);
    wanted.forEach((place, at) => seen.set(place, found[at]));
    const places = [...seen.keys()].sort((a, b) => a - b);
    wanted = places.flatMap((place, at) => {
      const next = places[at + 1];
      return next === undefined || next === place + 1 || alike(seen.get(place), seen.get(next)) ? [] : spread(place + 1, next - 1, PARTS);
    });
  }
  const runs: Run[] = [];
  for (const place of [...seen.keys()].sort((a, b) => a - b)) {
    const value = seen.get(place);
    const last = runs.at(-1);
    if (value !== undefined && (!last || !alike(last.value, value))) runs.push({ from: place, value });
  }
  return runs;
}

/** Places from one to another, both among them. */
function spread(from: number, to: number, most: number): number[] {
  const count = Math.min(most, to - from + 1);
  if (count <= 1) return [from];
  return Array.from({ length: count }, (_, at) => from + Math.round((at * (to - from)) / (count - 1)));
}
