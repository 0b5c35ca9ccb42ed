// All that is known of one track, read when it is chosen.

import type { CoverView, TrackPageView } from '../../../bindings';
import type { App } from '../../../state/app.svelte';
import { failureMessage } from '../../../state/notices.svelte';

export class TrackPageState {
  page: TrackPageView | null = $state.raw(null);
  cover: CoverView | null = $state.raw(null);
  /** Why it cannot be shown. */
  failure: string | null = $state(null);
  private asked: number | null = null;

  constructor(private readonly app: App) {}

  /** Reads a track's page; of several asked for in a row only the last is shown. */
  async load(track: number): Promise<void> {
    const other = this.asked !== track;
    this.asked = track;
    try {
      const page = await this.app.backend.call('library.track', { track });
      if (this.asked !== track) return;
      this.page = page;
      this.failure = null;
      if (other) this.cover = null;
      if (!page.item.cover) return;
      const cover = await this.app.backend.call('library.cover', { track });
      if (this.asked === track) this.cover = cover;
    } catch (reason) {
      if (this.asked !== track) return;
      this.page = null;
      this.cover = null;
      this.failure = failureMessage(reason);
    }
  }
}
