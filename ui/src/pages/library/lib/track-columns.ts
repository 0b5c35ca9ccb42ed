// Columns of the library's table: which there are, how wide, and what stands in them.

import { fixed } from '../../../lib/decimal';
import type { DimensionView, LibraryColumn, LibraryTrackState, TrackItem } from '../../../bindings';
import { compact, formatInteger } from '../../../lib/quantity';
import { shortTime } from '../../../lib/time';
import { day } from '../../../lib/when';

/** The columns of the table until others are chosen. */
export const STANDARD_COLUMNS = ['title', 'artist', 'album', 'duration_s', 'tempo_bpm', 'key', 'loudness_lufs'];
export const MIN_WIDTH = 40;
export const MAX_WIDTH = 800;

export type ColumnGroup = 'tags' | 'file' | 'sound';

export interface TrackColumn {
  name: string;
  /** The unit of its figures as they stand in the cells; empty for none. */
  unit: string;
  meaning: string;
  /** Whether its cells are figures, which stand right-aligned. */
  numeric: boolean;
  group: ColumnGroup;
  width: number;
  cell(item: TrackItem): string;
}


const some = (value: number | null | undefined, write: (value: number) => string): string => (value == null ? '' : write(value));

interface Shape {
  group: ColumnGroup;
  width: number;
  unit?: string;
  cell?(item: TrackItem): string;
}

const SHAPES: Record<string, Shape> = {
  title: { group: 'tags', width: 176, cell: (item) => item.title ?? item.name },
  artist: { group: 'tags', width: 120 },
  album: { group: 'tags', width: 120 },
  album_artist: { group: 'tags', width: 120 },
  genre: { group: 'tags', width: 88 },
  year: { group: 'tags', width: 56 },
  track_no: { group: 'tags', width: 48 },
  disc_no: { group: 'tags', width: 48 },
  duration_s: { group: 'file', width: 60, unit: '', cell: (item) => some(item.duration_s, (value) => shortTime(value, 0)) },
  rate_hz: { group: 'file', width: 72, unit: 'kHz', cell: (item) => some(item.rate_hz, (value) => compact(value / 1000, 6)) },
  channels: { group: 'file', width: 72 },
  format: { group: 'file', width: 64 },
  codec: { group: 'file', width: 72 },
  bit_rate: { group: 'file', width: 88, unit: 'kbit/s', cell: (item) => some(item.bit_rate, (value) => formatInteger(value / 1000)) },
  bits: { group: 'file', width: 56 },
  bandwidth_hz: { group: 'sound', width: 104, unit: 'kHz', cell: (item) => some(item.bandwidth_hz, (value) => fixed(value / 1000, 1)) },
  key: { group: 'sound', width: 48 },
  bytes: { group: 'file', width: 64, unit: 'MB', cell: (item) => fixed(item.bytes / 1e6, 1) },
  added_at: { group: 'file', width: 88, unit: '', cell: (item) => day(item.added_at) },
  state: { group: 'file', width: 136 },
  reason: { group: 'file', width: 240 },
  name: { group: 'file', width: 200 },
  folder: { group: 'file', width: 320 },
};

/** A file's place as text. Folders are written the way of the system they are of. */
export function pathOf({ folder, name }: Pick<TrackItem, 'folder' | 'name'>): string {
  const separator = folder.includes('\\') && !folder.includes('/') ? '\\' : '/';
  return folder === '' || folder.endsWith(separator) ? folder + name : folder + separator + name;
}

/** Room for a head of so many letters. */
const widthFor = (head: string): number => Math.max(64, 4 * Math.ceil((head.trim().length * 6.8 + 34) / 4));

/** The columns that the library offers, ready to be shown. */
export function trackColumns(offered: LibraryColumn[], dimensions: DimensionView[], stateName: (state: LibraryTrackState) => string, label: (name: string) => string): Map<string, TrackColumn> {
  const made = offered.map(({ name, unit, meaning, numeric }): TrackColumn => {
    const at = dimensions.findIndex((each) => each.name === name);
    const dimension = dimensions[at];
    if (dimension) return { name, unit, meaning, numeric: true, group: 'sound', width: widthFor(`${label(name)} ${unit}`), cell: (item) => some(item.features[at], (value) => fixed(value, dimension.decimals)) };
    const shape = SHAPES[name] ?? { group: 'file', width: 96 };
    const plain = (item: TrackItem) => String((item as Record<string, unknown>)[name] ?? '');
    const cell = name === 'state' ? (item: TrackItem) => stateName(item.state) : (shape.cell ?? plain);
    return { name, unit: shape.unit ?? unit, meaning, numeric, group: shape.group, width: shape.width, cell };
  });
  return new Map(made.map((each) => [each.name, each]));
}

/** The columns that are shown, of those chosen the ones there are. */
export function shownColumns(all: Map<string, TrackColumn>, chosen: string[]): TrackColumn[] {
  const names = chosen.length > 0 ? chosen : STANDARD_COLUMNS;
  const shown = names.flatMap((name) => all.get(name) ?? []);
  return shown.length > 0 ? shown : STANDARD_COLUMNS.flatMap((name) => all.get(name) ?? []);
}

/** Whether a column takes its share of the room there is: one of text that nobody has sized. */
const shares = (column: TrackColumn, widths: Record<string, number>): boolean => !column.numeric && column.width >= 100 && widths[column.name] === undefined;

/** The least that a column takes. */
export function leastWidth(column: TrackColumn, widths: Record<string, number>): number {
  return shares(column, widths) ? Math.round(column.width * 0.45) : (widths[column.name] ?? column.width);
}

/** How wide the columns are, for a grid. */
export function gridTemplate(columns: TrackColumn[], widths: Record<string, number>): string {
  const tracks = columns.map((column) => (shares(column, widths) ? `minmax(${leastWidth(column, widths)}px, ${column.width}fr)` : `${leastWidth(column, widths)}px`));
  return ['24px', ...tracks, columns.some((column) => shares(column, widths)) ? '0' : 'minmax(0, 1fr)'].join(' ');
}

/** Moves a column before another, or to the end. */
export function moved(names: string[], name: string, before: string | null): string[] {
  if (name === before) return names;
  const others = names.filter((each) => each !== name);
  const at = before === null ? others.length : others.indexOf(before);
  return at === -1 ? names : [...others.slice(0, at), name, ...others.slice(at)];
}
