import { describe, expect, it } from 'vitest';
import type { MarkerView } from '../src/bindings';
import { dragged, freshName, linesOf, markerAt, matching, neighbourOf, placed, rowsOf, within } from '../src/lib/markers';

const point = (id: number, start_frame: number, name = `m${id}`): MarkerView => ({ id, start_frame, end_frame: null, name, note: '' });
const region = (id: number, start_frame: number, end_frame: number, name = `r${id}`): MarkerView => ({ ...point(id, start_frame, name), end_frame });
const view = { start: 0, end: 1000 };

describe('the rows of markers', () => {
  it('hold apart what overlaps', () => {
    const { rows, count } = rowsOf([point(1, 50), region(2, 0, 100), region(3, 50, 200), region(4, 100, 150), region(5, 60, 70), region(6, 65, 300)]);
    expect([...rows]).toEqual([[2, 0], [1, 1], [3, 2], [5, 1], [6, 2], [4, 0]]);
    expect(count).toBe(3);
    expect(rowsOf([region(1, 0, 10), region(2, 10, 20), point(3, 20), point(4, 25)]).count).toBe(1);
    expect(rowsOf([point(1, 10), region(2, 10, 20)]).count).toBe(2);
    expect(rowsOf([]).count).toBe(0);
  });
});

describe('what is seen of markers', () => {
  const seen = (markers: MarkerView[], kept: number | null = null) => placed(markers, rowsOf(markers).rows, view, 500, kept);

  it('stands at its frames, with the room that the next one leaves', () => {
    const [first, second, third] = seen([point(1, 100), region(2, 200, 2000), point(3, 300)]);
    expect(first).toMatchObject({ x: 50, width: null, room: 39 });
    expect(second).toMatchObject({ x: 100, left: 100, width: 400, room: 392 });
    // A marker within the region gets a separate row.
    expect([third?.x, third?.row]).toEqual([150, 1]);
    // A region that begins before the view has its name at the edge.
    expect(placed([region(1, 0, 900)], new Map([[1, 0]]), { start: 500, end: 1500 }, 500, null)[0]).toMatchObject({ x: -250, left: 0, width: 200 });
  });

  it('leaves out what is elsewhere, and what the eye cannot tell apart', () => {
    expect(seen([point(1, 2000), region(2, 1500, 3000)])).toEqual([]);
    const dense = Array.from({ length: 1000 }, (_, index) => point(index + 1, index));
    expect(seen(dense).length).toBeLessThan(180);
    expect(seen(dense, 500).some(({ marker }) => marker.id === 500)).toBe(true);
    expect(linesOf(dense, view, 100).length).toBeLessThanOrEqual(101);
    expect(linesOf([region(1, 100, 400)], view, 500)).toEqual([{ x: 50, region: true }, { x: 200, region: true }]);
  });
});

describe('markers by their places', () => {
  const markers = [point(1, 100), region(2, 200, 400), region(3, 250, 300), point(4, 500)];

  it('are found from the cursor', () => {
    expect(neighbourOf(markers, 100, 1)?.id).toBe(2);
    expect(neighbourOf(markers, 100, -1)).toBeNull();
    expect(neighbourOf(markers, 501, -1)?.id).toBe(4);
    expect(markerAt(markers, 260)?.id).toBe(3);
    expect(markerAt(markers, 200)?.id).toBe(2);
    expect(markerAt(markers, 450)).toBeNull();
  });

  it('lie wholly in a selection or not', () => {
    expect(within(markers, { start: 100, end: 300 }).map(({ id }) => id)).toEqual([1, 3]);
    expect(within(markers, { start: 0, end: 500 }).map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(within(markers, null)).toEqual([]);
  });

  it('are found by words of name and comment', () => {
    const named = [point(1, 0, 'First verse'), { ...point(2, 1, 'Chorus'), note: 'twice the VERSE' }, point(3, 2, '')];
    expect(matching(named, 'verse').map(({ id }) => id)).toEqual([1, 2]);
    expect(matching(named, ' verse first ').map(({ id }) => id)).toEqual([1]);
    expect(matching(named, '')).toHaveLength(3);
  });

  it('get names that none has yet', () => {
    const name = (number: number) => `Marker ${number}`;
    expect(freshName([], false, name)).toBe('Marker 1');
    expect(freshName([point(1, 0, 'Marker 2'), region(2, 5, 6, 'Marker 3')], false, name)).toBe('Marker 4');
  });
});

describe('a drag of a marker', () => {
  it('keeps it within the recording, and a region its order or its length', () => {
    expect(dragged(point(1, 50), 'all', -80, 1000).start_frame).toBe(0);
    expect(dragged(point(1, 50), 'all', 1e9, 1000).start_frame).toBe(1000);
    const long = region(2, 100, 300);
    expect(dragged(long, 'start', 1e9, 1000)).toMatchObject({ start_frame: 299, end_frame: 300 });
    expect(dragged(long, 'end', -1e9, 1000)).toMatchObject({ start_frame: 100, end_frame: 101 });
    expect(dragged(long, 'all', 1e9, 1000)).toMatchObject({ start_frame: 800, end_frame: 1000 });
    expect(dragged(long, 'all', -1e9, 1000)).toMatchObject({ start_frame: 0, end_frame: 200 });
  });
});
