// Identifying a clip: from where it comes, and what it was.

import type { Backend } from '../../../backend';
import type { ClipSource, IdentifiedView } from '../../../bindings';
import { failureMessage } from '../../../state/notices.svelte';

export const MIN_SECONDS = 5;
export const MAX_SECONDS = 30;

export class Identify {
  seconds = $state(10);
  result: IdentifiedView | null = $state.raw(null);
  failure: string | null = $state(null);
  /** The clip that was asked about last, with its job, so that this can be told from an earlier one. */
  asked: { clip: ClipSource; job: number } | null = $state.raw(null);

  constructor(
    private readonly backend: Backend,
    private readonly attempt: <T>(action: () => Promise<T>) => Promise<T | null>,
  ) {}

  async begin(clip: ClipSource): Promise<void> {
    const job = await this.attempt(() => this.backend.call('library.identify', { clip }));
    if (job !== null) this.asked = { clip, job };
  }

  async load(): Promise<void> {
    try {
      this.result = await this.backend.call('library.identified', {});
      this.failure = null;
    } catch (reason) {
      this.failure = failureMessage(reason);
    }
  }
}
