// Settings that are shown at once and sent to the core once they have settled.

import { settled } from './coalesce';

const SETTLED_MS = 150;

export class Ahead {
  private sent = 0;
  private sending: Promise<unknown> = Promise.resolve();
  private readonly later = settled(SETTLED_MS, () => void this.send());

  /** `ask` sends the settings. Its argument tells whether no others have been sent since: changes made meanwhile are ahead of an answer. */
  constructor(private readonly ask: (isLast: () => boolean) => Promise<unknown>) {}

  changed(): void {
    this.later(null);
  }

  private send(): void {
    const number = ++this.sent;
    this.sending = this.ask(() => number === this.sent);
  }

  /** Sends at once what has changed, and waits until the core has it. */
  flush(): Promise<unknown> {
    this.later.flush();
    return this.sending;
  }
}
