// The verification of the devices: the job that runs it, and its last result.

import type { Backend } from '../backend';
import type { AdapterCheck, JobView } from '../bindings';
import type { Jobs } from './jobs.svelte';
import type { Notices } from './notices.svelte';

export class DeviceVerification {
  /** The last result since the program started; null before the first. */
  result: AdapterCheck[] | null = $state.raw(null);
  /** The running job; null while none runs. */
  readonly job: JobView | null = $derived.by(() => this.jobs.running.findLast((job) => job.purpose === 'verify') ?? null);

  constructor(
    private readonly backend: Backend,
    private readonly notices: Notices,
    private readonly jobs: Jobs,
  ) {}

  start(): Promise<unknown> {
    return this.notices.attempt(() => this.backend.call('devices.verify', {}));
  }

  save(): Promise<unknown> {
    return this.notices.attempt(() => this.backend.call('devices.save_verification', {}));
  }

  async load(): Promise<void> {
    await this.notices.attempt(async () => (this.result = await this.backend.call('devices.verification', {})));
  }
}

/** The checks of an adapter that did not pass. */
export function failedChecks({ kernels, jobs }: AdapterCheck): number {
  return [...kernels, ...jobs].filter((check) => !check.passed).length;
}

/** The kernel check that comes closest to its limit; null if all values are equal or none was checked. */
export function closestCheck({ kernels }: AdapterCheck): AdapterCheck['kernels'][number] | null {
  const measured = kernels.filter((check) => check.passed && check.error_db !== null && check.limit_db !== null);
  const margin = (check: (typeof kernels)[number]) => check.limit_db! - check.error_db!;
  return measured.toSorted((a, b) => margin(a) - margin(b))[0] ?? null;
}
