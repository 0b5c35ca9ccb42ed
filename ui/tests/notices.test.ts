import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { flushSync } from 'svelte';
import { Notices, SHOWN_MS } from '../src/state/notices.svelte';
import { openDemo, settle } from './demo-window';

describe('notices', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());
  const shown = (notices: Notices) => notices.toasts.map((toast) => toast.message);

  it('leave by themselves after a time for reading, and stay in the list', () => {
    const notices = new Notices();
    notices.tell('info', 'done');
    notices.tell('error', 'broken');
    notices.tell('error', 'broken');
    expect(shown(notices)).toEqual(['done', 'broken']);
    vi.advanceTimersByTime(SHOWN_MS.info);
    expect(shown(notices)).toEqual(['broken']);
    vi.advanceTimersByTime(SHOWN_MS.error);
    expect(shown(notices)).toEqual([]);
    expect(notices.all.map((notice) => notice.message)).toEqual(['broken', 'done']);
    expect(notices.unread).toBe(1);
    notices.toggleList();
    expect(notices.unread).toBe(0);
  });

  it('leave when what they say is over', async () => {
    const notices = new Notices();
    notices.tell('warning', 'no sound', 'sound');
    notices.tell('warning', 'no GPU', 'device');
    notices.end('sound');
    expect(shown(notices)).toEqual(['no GPU']);
    expect(notices.all.map(({ message, over }) => [message, over])).toEqual([['no GPU', false], ['no sound', true]]);
    // A success ends an earlier failure.
    await notices.attempt(() => Promise.reject(new Error('disk full')), 'export');
    expect(shown(notices)).toEqual(['no GPU', 'disk full']);
    await notices.attempt(() => Promise.resolve(), 'export');
    expect(shown(notices)).toEqual(['no GPU']);
  });

  it('wait while they are pointed at, and never crowd the picture', () => {
    const notices = new Notices();
    notices.tell('info', 'one');
    const id = notices.toasts[0]?.id ?? 0;
    notices.hold(id);
    vi.advanceTimersByTime(60_000);
    expect(shown(notices)).toEqual(['one']);
    notices.release(id);
    vi.advanceTimersByTime(60_000);
    expect(shown(notices)).toEqual([]);
    notices.release(id);
    for (const message of ['a', 'b', 'c', 'd', 'e', 'f']) notices.tell('error', message);
    expect(shown(notices)).toEqual(['c', 'd', 'e', 'f']);
    vi.advanceTimersByTime(SHOWN_MS.error);
    expect(shown(notices)).toEqual([]);
    for (let n = 0; n < 300; n++) notices.tell('info', `${n}`);
    expect(notices.all.length).toBe(100);
  });
});

describe('the list of notices', () => {
  const find = (id: string) => document.querySelector<HTMLElement>(`[data-testid="${id}"]`);

  it('opens from the bell, says what is over, and closes by Escape', async () => {
    const app = await openDemo('gain(-3 dB)');
    app.notices.tell('warning', 'The GPU was lost.', 'device');
    app.notices.tell('info', 'Exported song.wav');
    flushSync();
    expect(document.querySelectorAll('[data-testid="toast"]')).toHaveLength(2);
    expect(find('notices-bell')?.textContent?.trim()).toBe('1');
    app.notices.end('device');
    find('notices-bell')?.click();
    await settle();
    expect(document.querySelectorAll('[data-testid="toast"]')).toHaveLength(0);
    const rows = [...document.querySelectorAll('[data-testid="notice"]')].map((row) => row.textContent ?? '');
    expect(rows[0]).toContain('Exported song.wav');
    expect(rows[0]).not.toContain('over');
    expect(rows[1]).toContain('over');
    find('notices-list')?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
    flushSync();
    expect(find('notices-list')).toBeNull();
    expect(document.activeElement).toBe(find('notices-bell'));
  });
});
