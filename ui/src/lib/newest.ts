// The core's answers and events arrive by different routes, and one can overtake the other.

import type { Moment } from '../bindings';

/** Keeps an older view from replacing a newer one. */
export class Newest {
  private moment: Moment = 0;

  /** Whether a view is at least as new as all before it. */
  isNews(moment: Moment): boolean {
    if (moment < this.moment) return false;
    this.moment = moment;
    return true;
  }
}
