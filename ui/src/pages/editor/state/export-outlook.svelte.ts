// The forecast of an export: its length and size, and its level, which the core measures in the background.

import type { Backend } from '../../../backend';
import type { ExportForecast, ExportPlan, ExportSettings, JobView, TagEdits } from '../../../bindings';
import { latestOnly, settled } from '../../../lib/coalesce';
import type { Jobs } from '../../../state/jobs.svelte';
import { failureMessage } from '../../../state/notices.svelte';
import { said } from '../../../text/core-words';

/** How long the choices rest before the level is measured. */
const REST_MS = 300;

/** The settings that the level depends on, as text; the format of the samples is not one of them. */
function heard(settings: ExportSettings): string {
  const { format, range, rate, tail, loudness, gain_db } = settings;
  // Lossy formats have different rates.
  const rates = format === 'wav' || format === 'flac' ? 'pcm' : format;
  return JSON.stringify([rates, range, rate, tail, loudness, gain_db]);
}

export class ExportOutlook {
  plan: ExportPlan | null = $state.raw(null);
  /** Why there is no plan: the settings or the chain cannot be exported. */
  planFailure: string | null = $state(null);
  forecast: ExportForecast | null = $state.raw(null);
  private jobId: number | null = $state(null);
  private startFailure: string | null = $state(null);
  readonly job: JobView | null = $derived.by(() => this.jobs.all.find((job) => job.id === this.jobId) ?? null);
  readonly measuring: boolean = $derived(this.forecast === null && this.startFailure === null && (this.job === null || this.job.state === 'running' || this.job.state === 'done'));
  readonly failure: string | null = $derived(this.startFailure ?? (this.job?.state === 'failed' ? said(this.job.failure?.message ?? '') : null));

  private settings: ExportSettings | null = null;
  private measured: string | null = null;
  private readonly askPlan: (args: { settings: ExportSettings; tags: TagEdits }) => void;
  private readonly measureSoon: ((args: null) => void) & { flush(): void };

  constructor(
    private readonly backend: Backend,
    private readonly jobs: Jobs,
    private readonly document: number,
  ) {
    this.askPlan = latestOnly(
      async (args) => {
        try {
          return { plan: await backend.call('editor.export_plan', { document, ...args }), failure: null };
        } catch (reason) {
          return { plan: null, failure: failureMessage(reason) };
        }
      },
      (answer) => {
        this.plan = answer.plan;
        this.planFailure = answer.failure;
      },
    );
    this.measureSoon = settled(REST_MS, () => void this.start());
  }

  /** Takes the choices of the dialog; what they change is asked for again. */
  take(settings: ExportSettings, tags: TagEdits): void {
    this.settings = settings;
    this.askPlan({ settings, tags });
    const key = heard(settings);
    if (key === this.measured) return;
    this.measured = key;
    this.forget();
    this.measureSoon(null);
  }

  private forget(): void {
    this.stop();
    this.forecast = null;
    this.jobId = null;
    this.startFailure = null;
  }

  /** Measures the level now. */
  async start(): Promise<void> {
    const { settings, measured } = this;
    if (!settings) return;
    this.forget();
    try {
      const job = await this.backend.call('editor.forecast_export', { document: this.document, settings });
      // The choices may have changed meanwhile.
      if (measured === this.measured) this.jobId = job;
    } catch (reason) {
      if (measured === this.measured) this.startFailure = failureMessage(reason);
    }
  }

  /** Reads the result once the job is done. */
  async read(): Promise<void> {
    const { jobId } = this;
    if (jobId === null) return;
    const found = await this.backend.call('editor.export_forecast', { job: jobId }).catch(() => null);
    if (jobId === this.jobId) this.forecast = found;
  }

  /** Ends a measurement that is running. */
  stop(): void {
    if (this.job?.state === 'running') void this.jobs.cancel(this.job);
  }
}
