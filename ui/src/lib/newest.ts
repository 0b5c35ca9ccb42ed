// The core's answers and events arrive by different routes, and one can overtake the other.

/** Keeps an older view from replacing a newer one. */
export class Newest {
  private moment = 0;

  /** Whether a view is at least as new as all before it. */
  isNews(moment: number): boolean {
    if (moment < this.moment) return false;
    this.moment = moment;
    return true;
  }
}
