// What was last found out about the library: what is the same, how it lies on the map, what a clip is of.

import type { DuplicatesView, IdentifiedView, JobView, LikeWhat, MapView } from '../bindings';
import type { App } from './app.svelte';

export class Questions {
  duplicates: DuplicatesView | null = $state.raw(null);
  map: MapView | null = $state.raw(null);
  identified: IdentifiedView | null = $state.raw(null);
  /** What the list of what is alike is about; none is the current track. */
  like: LikeWhat | null = $state.raw(null);

  constructor(readonly app: App) {}

  /** News of a job that asks one of them. */
  takeJob(_job: JobView): void {}
}
