// A file's tags in the columns of the preview.

import type { TagField, TagFileView } from '../../../bindings';

export type TagColumn = 'key' | 'tempo' | 'gain' | 'peak';

/** The names of the tags that stand in a column, as Vorbis comments have them. */
const TAGS: Record<TagColumn, string[]> = { key: ['INITIALKEY'], tempo: ['BPM'], gain: ['REPLAYGAIN_TRACK_GAIN', 'R128_TRACK_GAIN'], peak: ['REPLAYGAIN_TRACK_PEAK'] };
/** Those of the album, in the same columns. */
const ALBUM_TAGS: Partial<Record<TagColumn, string[]>> = { gain: ['REPLAYGAIN_ALBUM_GAIN', 'R128_ALBUM_GAIN'], peak: ['REPLAYGAIN_ALBUM_PEAK'] };
const COLUMNS: Record<TagField, TagColumn[]> = { key: ['key'], tempo: ['tempo'], loudness: ['gain', 'peak'], album: ['gain', 'peak'] };

/** A tag in a cell: a value that changes, or one that stays. */
export interface TagCell {
  tag: string;
  old: string | null;
  value: string | null;
  changes: boolean;
  ofAlbum: boolean;
}

export const tagColumns = (fields: readonly TagField[]): TagColumn[] => [...new Set(fields.flatMap((field) => COLUMNS[field]))];

/** The values of a column, that of the track before that of its album; none where the file has nothing there and nothing is written. */
export function tagCells(file: TagFileView, column: TagColumn): TagCell[] {
  const cell = (names: readonly string[], ofAlbum: boolean): TagCell[] => {
    const change = file.changes.find(({ tag }) => names.includes(tag));
    if (change) return [{ tag: change.tag, old: change.old, value: change.new, changes: true, ofAlbum }];
    const kept = file.kept.find(([tag]) => names.includes(tag));
    return kept ? [{ tag: kept[0], old: kept[1], value: kept[1], changes: false, ofAlbum }] : [];
  };
  return [...cell(TAGS[column], false), ...cell(ALBUM_TAGS[column] ?? [], true)];
}
