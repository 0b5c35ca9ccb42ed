import { flushSync } from 'svelte';
import { describe, expect, it } from 'vitest';
import { openDemo } from './demo-window';
import { find } from './mounted';

describe('a chain that changes the length', () => {
  it('says so, shows the original’s picture, and moves the play head at the recording’s pace', async () => {
    const app = await openDemo('gain(-3 dB)');
    const active = app.documents.active!;
    expect(find('rack-length')).toBeNull();
    expect(app.player.pictureOf(active)).toBe('processed');
    active.adopt({ ...active.data, length_ratio: 1.5 });
    flushSync();
    expect(find('rack-length')?.textContent).toContain('150 %');
    expect(app.player.pictureOf(active)).toBe('original');
    const { transport } = app.player;
    app.player.take({ ...transport!, documents_side: 'processed', matched_documents: [], document: active.id, audition: null, comparison: null, playing: true, frame: 1000, side: 'processed' });
    const now = performance.now();
    const at = (ms: number) => app.player.headOf(active, now + ms)!;
    const pace = (at(90) - at(30)) / (0.06 * active.data.rate);
    expect(pace).toBeCloseTo(1 / 1.5, 3);
    app.player.take({ ...transport!, documents_side: 'processed', matched_documents: [], document: active.id, audition: null, comparison: null, playing: true, frame: 1000, side: 'original' });
    const other = performance.now();
    expect((app.player.headOf(active, other + 90)! - app.player.headOf(active, other + 30)!) / (0.06 * active.data.rate)).toBeCloseTo(1, 3);
  });
});
