// The progress of a job, in the words of its purpose.

import type { JobView } from '../bindings';
import { text } from '../text/catalogue';
import { said } from '../text/core-words';
import { compact } from './quantity';
import { shortTime } from './time';

/** The share done, 0 to 100; null while the total is unknown. */
export const percentOf = (job: JobView): number | null => (job.total > 0 ? Math.min(100, (job.done / job.total) * 100) : null);

/** The progress as text: for separations the time, which the job counts in milliseconds; otherwise the share. */
export function doneOf(job: JobView): string {
  const percent = percentOf(job);
  if (percent === null) return '';
  if (job.purpose !== 'separate') return text.questions.job.percent(Math.floor(percent));
  const time = (ms: number): string => shortTime(Math.floor(ms / 1000), 0);
  return text.stems.done(time(job.done), time(job.total));
}

/** The speed of a separation; empty before any progress, and for other jobs. */
export const paceOf = (job: JobView): string => (job.purpose === 'separate' && job.done > 0 ? text.stems.rate(compact(job.rate / 1000, 2)) : '');

/** The title of a job, with the current recording if there are several. */
export const titleOf = (job: JobView): string => (job.purpose === 'separate' && job.step !== null ? text.stems.job(said(job.title), job.step) : said(job.title));
