// The jobs of the core: running ones and those that ended recently.

import type { Backend } from '../backend';
import type { JobPurpose, JobView } from '../bindings';
import type { Notices } from './notices.svelte';

export class Jobs {
  all: JobView[] = $state.raw([]);
  readonly running: JobView[] = $derived(this.all.filter((job) => job.state === 'running'));

  constructor(
    private readonly backend: Backend,
    private readonly notices: Notices,
  ) {}

  async load(): Promise<void> {
    this.all = await this.backend.call('jobs.view', {});
  }

  /** Takes news of a job and gives what was known of it. */
  take(job: JobView): JobView | undefined {
    const known = this.all.find((each) => each.id === job.id);
    this.all = known ? this.all.map((each) => (each.id === job.id ? job : each)) : [...this.all, job];
    return known;
  }

  /** The last job with a purpose; null before the first. */
  last(purpose: JobPurpose): JobView | null {
    return this.all.findLast((job) => job.purpose === purpose) ?? null;
  }

  cancel(job: JobView): Promise<unknown> {
    return this.notices.attempt(() => this.backend.call('jobs.cancel', { job: job.id }));
  }
}
