import { describe, expect, it } from 'vitest';
import type { SeriesView, TrackItem } from '../src/bindings';
import { picturePixels, topOf } from '../src/pages/library/draw/series';
import { dimensionGroups, placeOn } from '../src/pages/library/lib/dimension-groups';
import { axisOf, endOf, formatValue, nameOfRow, placeOfTempo, valueAt } from '../src/pages/library/lib/series';
import { moved, pathOf, shownColumns, STANDARD_COLUMNS, trackColumns } from '../src/pages/library/lib/track-columns';
import { bitsOf, codingOf, formatOf } from '../src/pages/library/lib/track-words';
import { ariaSort, sortedBy } from '../src/pages/library/lib/track-sort';
import { pathParts } from '../src/lib/when';
import { text } from '../src/text/catalogue';
import { COLUMNS, DIMENSIONS, recorded, TRACK } from './recorded';

const all = trackColumns(COLUMNS, DIMENSIONS, (state) => text.library.states[state], (name) => text.library.columns[name] ?? name);

describe('columns', () => {
  it('have a name in the catalogue each, and a cell that never says null', () => {
    const empty = { ...TRACK, title: null, artist: null, album: null, genre: null, year: null, duration_s: null, rate_hz: null, bit_rate: null, bits: null, bandwidth_hz: null, key: null, channels: null, features: DIMENSIONS.map(() => null) } satisfies TrackItem;
    for (const column of all.values()) {
      expect(text.library.columns[column.name], column.name).toBeTruthy();
      expect(column.cell(empty), column.name).not.toMatch(/null|undefined|NaN/);
    }
    expect(all.get('title')?.cell(empty)).toBe(empty.name);
  });

  it('write figures in the unit of their head', () => {
    const item = { ...TRACK, duration_s: 245.4, rate_hz: 44_100, bit_rate: 320_000, bytes: 12_340_000, bandwidth_hz: 15_980, features: DIMENSIONS.map(() => -1.25) };
    const cells = ['duration_s', 'rate_hz', 'bit_rate', 'bytes', 'bandwidth_hz', 'loudness_lufs', 'centroid_hz'].map((name) => `${all.get(name)?.cell(item)} ${all.get(name)?.unit}`.trim());
    expect(cells).toEqual(['4:05', '44.1 kHz', '320 kbit/s', '12.3 MB', '16.0 kHz', '−1.3 LUFS', '−1 Hz']);
  });

  it('are moved before another or to the end, and nowhere that does not exist', () => {
    expect(moved(['a', 'b', 'c'], 'c', 'a')).toEqual(['c', 'a', 'b']);
    expect(moved(['a', 'b', 'c'], 'a', null)).toEqual(['b', 'c', 'a']);
    expect(moved(['a', 'b'], 'a', 'a')).toEqual(['a', 'b']);
    expect(moved(['a', 'b'], 'a', 'z')).toEqual(['a', 'b']);
  });

  it('that no longer exist are left out; without any the standard ones are shown', () => {
    expect(shownColumns(all, ['year', 'gone']).map((each) => each.name)).toEqual(['year']);
    for (const chosen of [[], ['gone']]) expect(shownColumns(all, chosen).map((each) => each.name)).toEqual(STANDARD_COLUMNS);
  });

  it('make paths of the system they are of', () => {
    expect(pathOf({ folder: '/music/a', name: 'b.flac' })).toBe('/music/a/b.flac');
    expect(pathOf({ folder: 'C:\\music', name: 'b.flac' })).toBe('C:\\music\\b.flac');
    expect(pathOf({ folder: '/', name: 'b.flac' })).toBe('/b.flac');
    expect(pathParts('/home/user/Music/')).toEqual({ name: 'Music', before: '/home/user' });
    expect(pathParts('D:\\Music')).toEqual({ name: 'Music', before: 'D:' });
    expect(pathParts('/')).toEqual({ name: '/', before: '' });
  });
});

describe('a click on a head', () => {
  const up = (column: string) => ({ column, descending: false });
  const down = (column: string) => ({ column, descending: true });

  it('goes up, down and away', () => {
    expect(sortedBy([], 'a', false)).toEqual([up('a')]);
    expect(sortedBy([up('a')], 'a', false)).toEqual([down('a')]);
    expect(sortedBy([down('a')], 'a', false)).toEqual([]);
    expect(sortedBy([up('a')], 'b', false)).toEqual([up('b')]);
  });

  it('with Shift changes one order among several', () => {
    expect(sortedBy([up('a')], 'b', true)).toEqual([up('a'), up('b')]);
    expect(sortedBy([up('a'), up('b')], 'a', true)).toEqual([down('a'), up('b')]);
    expect(sortedBy([down('a'), up('b')], 'a', true)).toEqual([up('b')]);
    expect(ariaSort([up('a'), down('b')], 'b')).toBe('descending');
  });
});

describe('what is over time', () => {
  const curve = (values: (number | null)[], name = 'loudness'): SeriesView => ({ name, unit: 'LUFS', start_s: 1, step_s: 0.5, width: 1, values });

  it('has an axis that holds its values, also of one value, of none and of silence', () => {
    for (const values of [[-20, -14, null, -9], [-14, -14], [0.001, 0.002]]) {
      const { range, marks } = axisOf(curve(values, 'other'));
      const known = values.filter((value) => value !== null);
      expect(range![0]).toBeLessThanOrEqual(Math.min(...known));
      expect(range![1]).toBeGreaterThanOrEqual(Math.max(...known));
      expect(range![1]).toBeGreaterThan(range![0]);
      expect(marks.length).toBeGreaterThan(1);
      for (const { at } of marks) expect(at).toBeGreaterThanOrEqual(0);
    }
    expect(axisOf(curve([null, null])).marks).toEqual([]);
    expect(axisOf(curve([])).range).toEqual([0, 1]);
    expect(axisOf(curve([-90, -10])).range![0]).toBeGreaterThan(-60);
    expect(axisOf(curve([-90, -10])).marks.length).toBeGreaterThan(2);
  });

  it('says the value at a moment, and nothing before and after', () => {
    const series = curve([-20, null, -10]);
    expect(endOf(series)).toBe(2.5);
    expect(valueAt(series, 1.2, 0)?.value).toBe(-20);
    expect(formatValue(series, valueAt(series, 1.6, 0)?.value ?? null)).toBe('—');
    expect(valueAt(series, 0.9, 0)).toBeNull();
    expect(valueAt(series, 2.5, 0)).toBeNull();
    expect(formatValue(series, -10)).toBe('−10.0 LUFS');
  });

  it('has notes from C at the foot to B at the top, and tempi on a logarithmic scale', () => {
    const chroma: SeriesView = { name: 'chroma', unit: '', start_s: 0, step_s: 1, width: 12, values: Array.from({ length: 24 }, (_, at) => at) };
    expect(nameOfRow(chroma, valueAt(chroma, 0, 0)!.row)).toBe('C');
    expect(valueAt(chroma, 1.5, 1)).toEqual({ value: 23, row: 11 });
    expect(axisOf(chroma).marks.map((mark) => mark.label)).toHaveLength(12);
    expect([placeOfTempo(30), placeOfTempo(300)].map((place) => Number(place.toFixed(9)))).toEqual([0, 1]);
    const tempogram = { ...chroma, name: 'tempogram', width: 64, values: Array.from({ length: 64 }, () => 0.5) };
    expect(nameOfRow(tempogram, 0)).toBe('30 BPM');
    expect(nameOfRow(tempogram, 63)).toBe('300 BPM');
  });

  it('is drawn with its first row at the foot, and leaves what is missing clear', () => {
    const series: SeriesView = { name: 'chroma', unit: '', start_s: 0, step_s: 1, width: 2, values: [0, 1, null, 0.5] };
    const table = new Uint8ClampedArray(256 * 4).map((_, at) => (at % 4 === 3 ? 255 : at >> 2));
    const { pixels, width, height } = picturePixels(series, table, topOf(series));
    expect([width, height]).toEqual([2, 2]);
    const at = (x: number, y: number) => [...pixels.subarray((y * 2 + x) * 4, (y * 2 + x) * 4 + 4)];
    expect(at(0, 1)).toEqual([0, 0, 0, 255]);
    expect(at(0, 0)).toEqual([255, 255, 255, 255]);
    expect(at(1, 1)).toEqual([0, 0, 0, 0]);
    expect(at(1, 0)[0]).toBe(128);
  });
});

describe('the dimensions of a track', () => {
  it('stand each once in a group, an unknown one among the others', async () => {
    const page = await recorded('library').call('library.track', { track: TRACK.id });
    const extra = { ...DIMENSIONS[0]!, name: 'of_a_later_version' };
    const groups = dimensionGroups([...DIMENSIONS, extra], page);
    const names = groups.flatMap((group) => group.rows.map((row) => row.dimension.name));
    expect(names.toSorted()).toEqual([...DIMENSIONS, extra].map((each) => each.name).toSorted());
    expect(groups.at(-1)?.group).toBe('other');
    expect(placeOn(DIMENSIONS[7]!, -60)).toBe(0);
    expect(placeOn(DIMENSIONS[7]!, -5)).toBe(1);
  });
});

describe('how a track is coded, in words', () => {
  const of = (format: string | null, codec: string | null, bits: number | null) => {
    const track = { format, codec, bits, rate_hz: 44_100 } as TrackItem;
    return [codingOf(track), bitsOf(track), formatOf(track)];
  };

  it('says each thing once', () => {
    expect(of('FLAC', 'FLAC 16 bit', 16)).toEqual(['FLAC 16 bit', null, 'FLAC 16 bit, 44.1 kHz']);
    expect(of('WAV', 'PCM 24 bit', 24)).toEqual(['WAV, PCM 24 bit', null, 'PCM 24 bit, 44.1 kHz']);
    expect(of('Matroska', 'FLAC', 24)).toEqual(['Matroska, FLAC', '24 bit', 'FLAC, 24 bit, 44.1 kHz']);
    expect(of('MP3', null, null)).toEqual(['MP3', null, 'MP3, 44.1 kHz']);
    expect(of(null, null, null)).toEqual([null, null, '44.1 kHz']);
  });
});
