// Where the folders of a library on a server are on this computer, as settings list them.

import type { FolderView, LibraryFolderPlace, LibraryView } from '../../bindings';

export interface PlaceRow {
  /** The folder's path in the library. */
  folder: string;
  /** Where the settings have it; null if they do not say. */
  path: string | null;
  state: 'same' | 'placed' | 'away' | 'not_found' | 'gone';
}

/** A row for each folder of the library, then for each place of one that the library has no longer. Without the library, what the settings have. */
export function placesOf(view: Pick<LibraryView, 'folders' | 'away'> | null, places: LibraryFolderPlace[], server: string): PlaceRow[] {
  const mine = places.filter((place) => place.server === server);
  if (view === null) return mine.map(({ folder, path }) => ({ folder, path, state: 'placed' }));
  const row = (root: FolderView): PlaceRow => {
    const path = mine.find((place) => place.folder === root.stored)?.path ?? null;
    const away = view.away.includes(root.id);
    return { folder: root.stored, path, state: path === null ? (away ? 'away' : 'same') : away ? 'not_found' : 'placed' };
  };
  const known = new Set(view.folders.map((root) => root.stored));
  const gone = mine.filter((place) => !known.has(place.folder));
  return [...view.folders.map(row), ...gone.map(({ folder, path }): PlaceRow => ({ folder, path, state: 'gone' }))];
}
