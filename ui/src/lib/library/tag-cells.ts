// A file's tags in the columns of the preview.

import type { TagField, TagFileView } from '../../bindings';

export type TagColumn = 'key' | 'tempo' | 'gain' | 'peak';

/** The names of the tags that stand in a column, as Vorbis comments have them. */
const TAGS: Record<TagColumn, string[]> = { key: ['INITIALKEY'], tempo: ['BPM'], gain: ['REPLAYGAIN_TRACK_GAIN', 'R128_TRACK_GAIN'], peak: ['REPLAYGAIN_TRACK_PEAK'] };
const COLUMNS: Record<TagField, TagColumn[]> = { key: ['key'], tempo: ['tempo'], loudness: ['gain', 'peak'] };

/** What a cell shows: a value that changes, or one that stays. */
export interface TagCell {
  tag: string;
  old: string | null;
  value: string | null;
  changes: boolean;
}

export const tagColumns = (fields: readonly TagField[]): TagColumn[] => fields.flatMap((field) => COLUMNS[field]);

/** The cell of a column; none where the file has nothing there and nothing is written. */
export function tagCell(file: TagFileView, column: TagColumn): TagCell | null {
  const change = file.changes.find(({ tag }) => TAGS[column].includes(tag));
  if (change) return { tag: change.tag, old: change.old, value: change.new, changes: true };
  const kept = file.kept.find(({ tag }) => TAGS[column].includes(tag));
  return kept ? { tag: kept.tag, old: kept.value, value: kept.value, changes: false } : null;
}
