// What the window tells the user: notices that leave by themselves or are dismissed, and failures of what was asked for.

import type { Failure, NoticeLevel } from '../bindings';

export interface Toast {
  id: number;
  level: NoticeLevel;
  message: string;
  /** The path and what the system said, for who wants to know. */
  detail: string | null;
}

const TOAST_MS: Record<NoticeLevel, number | null> = { info: 6000, warning: 14_000, error: null };

export function failureMessage(reason: unknown): string {
  const message = (reason as Partial<Failure> | null)?.message;
  return typeof message === 'string' ? message : String(reason);
}

export class Notices {
  toasts: Toast[] = $state.raw([]);
  private count = 0;

  /** Runs something the user asked for; if it fails, tells why and gives null. */
  async attempt<T>(action: () => Promise<T>): Promise<T | null> {
    try {
      return await action();
    } catch (reason) {
      this.fail(reason);
      return null;
    }
  }

  fail(reason: unknown): void {
    if ((reason as Partial<Failure> | null)?.code === 'cancelled') return;
    this.tell('error', failureMessage(reason), (reason as Partial<Failure> | null)?.detail);
  }

  tell(level: NoticeLevel, message: string, detail: string | null = null): void {
    if (this.toasts.some((toast) => toast.message === message)) return;
    const id = ++this.count;
    this.toasts = [...this.toasts, { id, level, message, detail }].slice(-4);
    const ms = TOAST_MS[level];
    if (ms !== null) setTimeout(() => this.dismiss(id), ms);
  }

  dismiss(id: number): void {
    this.toasts = this.toasts.filter((toast) => toast.id !== id);
  }

  /** Takes back messages that no longer hold. */
  withdraw(messages: ReadonlySet<string>): void {
    this.toasts = this.toasts.filter((toast) => !messages.has(toast.message));
  }
}
