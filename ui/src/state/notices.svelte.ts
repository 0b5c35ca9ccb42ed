// Notices to the user. A notice leaves by itself: when what it says is over, or after a time for reading. All of them can
// be read again in a list.

import type { Failure, NoticeLevel } from '../bindings';
import { said } from '../text/core-words';

export interface Notice {
  id: number;
  level: NoticeLevel;
  message: string;
  /** The path and what the system said, for who wants to know. */
  detail: string | null;
  /** When it came, in milliseconds since 1970. */
  at: number;
  /** The condition that it reports; null for mere news. */
  about: string | null;
  /** Whether it still stands over the window. */
  shown: boolean;
  /** Whether what it reports has ended. */
  over: boolean;
}

/** How long a notice stays for reading, at most; a condition that ends takes it away earlier. */
export const SHOWN_MS: Record<NoticeLevel, number> = { info: 6000, warning: 14_000, error: 20_000 };
/** The least that remains of that time when the pointer or the focus leaves a notice. */
const REST_MS = 4000;
const MAX_SHOWN = 4;
const MAX_KEPT = 100;

export function failureMessage(reason: unknown): string {
  const message = (reason as Partial<Failure> | null)?.message;
  return typeof message === 'string' ? said(message) : String(reason);
}

/** Runs an action; the reason why it failed, or null. */
export async function failureOf(action: () => Promise<unknown>): Promise<string | null> {
  try {
    await action();
    return null;
  } catch (reason) {
    return failureMessage(reason);
  }
}

export class Notices {
  /** All of them, the latest first. */
  all: Notice[] = $state.raw([]);
  /** Those that stand over the window, the latest last. */
  readonly toasts: Notice[] = $derived(this.all.filter((notice) => notice.shown).reverse());
  listOpen = $state(false);
  private read = $state(0);
  /** Warnings and failures that came since the list was last looked at. */
  readonly unread: number = $derived(this.all.filter((notice) => notice.id > this.read && notice.level !== 'info').length);
  private count = 0;
  private readonly timers = new Map<number, ReturnType<typeof setTimeout>>();

  /**
   * Runs something the user asked for; if it fails, tells why and gives null. If `about` names a condition, a success
   * ends what was told about it before.
   */
  async attempt<T>(action: () => Promise<T>, about: string | null = null): Promise<T | null> {
    try {
      const result = await action();
      if (about !== null) this.end(about);
      return result;
    } catch (reason) {
      this.fail(reason, about);
      return null;
    }
  }

  fail(reason: unknown, about: string | null = null): void {
    if ((reason as Partial<Failure> | null)?.code === 'cancelled') return;
    this.tell('error', failureMessage(reason), about, (reason as Partial<Failure> | null)?.detail);
  }

  tell(level: NoticeLevel, message: string, about: string | null = null, detail: string | null = null): void {
    if (this.toasts.some((toast) => toast.message === message)) return;
    const id = ++this.count;
    const crowded = this.toasts.length >= MAX_SHOWN ? this.toasts[0] : undefined;
    if (crowded) this.dismiss(crowded.id);
    this.all = [{ id, level, message, detail, at: Date.now(), about, shown: true, over: false }, ...this.all].slice(0, MAX_KEPT);
    if (this.listOpen) this.read = id;
    this.leaveAfter(id, SHOWN_MS[level]);
  }

  /** Takes a notice off the window; it stays in the list. */
  dismiss(id: number): void {
    this.hold(id);
    this.change((notice) => notice.id === id && notice.shown, { shown: false });
  }

  /** Ends a condition: its notices leave. */
  end(about: string): void {
    const ended = this.all.filter((notice) => notice.about === about && !notice.over);
    ended.forEach(({ id }) => this.hold(id));
    this.change((notice) => ended.includes(notice), { shown: false, over: true });
  }

  /** Keeps a notice while it is pointed at or has the focus. */
  hold(id: number): void {
    clearTimeout(this.timers.get(id));
    this.timers.delete(id);
  }

  release(id: number): void {
    if (this.toasts.some((toast) => toast.id === id)) this.leaveAfter(id, REST_MS);
  }

  /** Opens or closes the list; what was opened has been read. */
  toggleList(): void {
    this.listOpen = !this.listOpen;
    if (!this.listOpen) return;
    this.read = this.count;
    this.toasts.forEach(({ id }) => this.dismiss(id));
  }

  clear(): void {
    this.all.forEach(({ id }) => this.hold(id));
    this.all = [];
  }

  private leaveAfter(id: number, ms: number): void {
    this.hold(id);
    this.timers.set(id, setTimeout(() => this.dismiss(id), ms));
  }

  private change(which: (notice: Notice) => boolean, change: Partial<Notice>): void {
    if (this.all.some(which)) this.all = this.all.map((notice) => (which(notice) ? { ...notice, ...change } : notice));
  }
}
