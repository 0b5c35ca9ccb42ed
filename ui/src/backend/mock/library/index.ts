// The commands of the library's table, scan and track page.

import type { AuditionTrack, Opened, Side, TransportView } from '../../../bindings';
import type { Handlers } from '../handlers';
import { failure } from '../handlers';
import type { World } from '../world';
import { cover, trackPage } from './page';
import { completions } from './query';

type Shelf = Pick<
  Handlers,
  | 'library'
  | 'add_library_folders'
  | 'remove_library_folder'
  | 'scan_library'
  | 'pause_scan'
  | 'resume_scan'
  | 'cancel_scan'
  | 'watch_library'
  | 'library_tracks'
  | 'library_position'
  | 'complete_query'
  | 'library_track'
  | 'library_cover'
  | 'open_tracks'
  | 'library_problems'
  | 'retry_tracks'
  | 'show_track_file'
  | 'export_tracks'
  | 'audition'
>;

/** Frames a second of an audition's common time. */
export const AUDITION_RATE = 48_000;

export function shelf(world: World): Shelf {
  const { library } = world;
  const phase = (to: 'pausing' | 'analysing' | 'stopping') => {
    library.set(to);
    return null;
  };
  return {
    library: () => library.view(),
    add_library_folders: () => library.addFolder(),
    remove_library_folder: ({ folder }) => library.removeFolder(folder),
    scan_library: () => library.begin(),
    pause_scan: () => phase('pausing'),
    resume_scan: () => phase('analysing'),
    cancel_scan: () => phase('stopping'),
    watch_library: ({ on }) => {
      // Kept with the settings, as the core does.
      world.settings = { ...world.settings, library: { ...world.settings.library, watch: on } };
      library.watching = on;
      return library.view();
    },
    library_tracks: ({ query, offset, limit }) => {
      const rows = library.list(query);
      return { total: rows.length, offset, rows: rows.slice(offset, offset + limit) };
    },
    library_position: ({ query, track }) => {
      const at = library.list(query).findIndex((item) => item.id === track);
      return at === -1 ? null : at;
    },
    complete_query: ({ text, cursor }) => completions(text, cursor),
    library_track: ({ track }) => trackPage(library, track),
    library_cover: ({ track }) => (library.item(track).cover ? cover(track) : null),
    open_tracks: ({ tracks }) => opened(world, tracks),
    library_problems: () => library.items.filter((item) => item.state === 'failed').map(({ id, name, folder, reason }) => ({ id, name, folder, reason: reason ?? '', attempts: 1 + (id % 3) })),
    retry_tracks: ({ tracks }) => library.retry(tracks),
    show_track_file: () => null,
    export_tracks: ({ query }) => ({ name: 'tracks.csv', tracks: library.list(query).length, bytes: library.list(query).length * 512 }),
    audition: ({ a, b, from_s, side }) => audition(world, a, b, from_s, side),
  };
}

function opened(world: World, tracks: number[]): Opened {
  const made: Opened = { documents: [], failures: [] };
  for (const id of tracks) {
    const item = world.library.item(id);
    if (item.state === 'vanished') made.failures.push({ name: item.name, failure: { code: 'io', message: 'the file is not there', notation: null } });
    else made.documents.push(world.open(item.name).view);
  }
  return made;
}

function audition(world: World, a: AuditionTrack, b: AuditionTrack | null, fromS: number, side: Side | null): TransportView {
  const item = world.library.item(a.track);
  if (item.state === 'vanished') throw failure('io', `${item.name} is not there`);
  // The common time ends with the last of both; whoever is played faster is through sooner.
  const ends = [a, b].filter((each) => each !== null).map((each) => ((world.library.item(each.track).duration_s ?? 60) - each.offset_s) / (each.speed ?? 1));
  Object.assign(world.transport, { document: null, playing: true, frame: Math.round(fromS * AUDITION_RATE), audition: { a: a.track, b: b?.track ?? null, rate: AUDITION_RATE, duration_s: Math.max(...ends), at_s: fromS } });
  if (side) world.transport.side = side;
  return world.transport;
}
