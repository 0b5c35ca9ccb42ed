// The sound that is heard, as the window knows it: asked for once a frame while it is looked at and something plays.

import { decodeMonitor, type Backend, type MonitorFrame } from '../backend';
import type { AnalyserSettings, MonitorPart, MonitorQuery } from '../bindings';
import { everyFrame } from '../lib/ticker';

/** No more often than this, whatever the display's rate. */
const MIN_MS = 30;
export const FROM_HZ = 20;
export const TO_HZ = 20_000;
const MAX_POINTS = 1024;

/** A frame, and what was asked for it. */
export interface Heard {
  frame: MonitorFrame;
  query: MonitorQuery;
}

export class Monitor {
  /** The last sound that was heard; none before there was any. */
  heard: Heard | null = $state.raw(null);
  /** Which pair of the output's channels is looked at. */
  pair = $state(0);
  /** Pixels along the frequency axis. */
  width = 600;
  private stopAsking: (() => void) | null = null;
  private busy = false;
  private askedAt = 0;
  private users = 0;

  constructor(
    private readonly backend: Backend,
    private readonly settings: () => AnalyserSettings,
    private readonly playing: () => boolean,
    private readonly onFailure: (reason: unknown) => void,
  ) {}

  /** Lets the core listen until the returned function is called. */
  open(): () => void {
    if (this.users++ === 0) void this.backend.call('editor.set_monitoring', { on: true }).catch(this.onFailure);
    return () => {
      if (--this.users > 0) return;
      this.stopAsking?.();
      this.stopAsking = null;
      void this.backend.call('editor.set_monitoring', { on: false }).catch(this.onFailure);
    };
  }

  /** Asks once a frame until playing has ended and its last sound is shown. */
  follow(): void {
    this.stopAsking ??= everyFrame((now) => {
      if (this.busy || now - this.askedAt < MIN_MS) return;
      this.askedAt = now;
      void this.ask();
    });
  }

  async reset(part: MonitorPart): Promise<void> {
    await this.backend.call('editor.reset_monitor', { part }).catch(this.onFailure);
    // A frame that rests on the screen is not asked for again.
    if (!this.heard || this.playing()) return;
    const { frame, query } = this.heard;
    const lanes = part === 'peaks' ? frame.lanes.map((lane) => ({ ...lane, held: null })) : frame.lanes;
    const loudness = part === 'loudness' ? { momentary: null, shortTerm: null, integrated: null, range: null, truePeak: null } : frame.loudness;
    this.heard = { frame: { ...frame, lanes, loudness }, query };
  }

  private query(): MonitorQuery {
    const { window, window_frames, averaging, hold, channels, slope } = this.settings();
    const points = Math.round(Math.min(MAX_POINTS, Math.max(64, this.width)));
    return { window, window_frames, averaging, hold, channels, slope, pair: this.pair, from_hz: FROM_HZ, to_hz: TO_HZ, points };
  }

  private async ask(): Promise<void> {
    this.busy = true;
    const query = this.query();
    try {
      const frame = decodeMonitor(await this.backend.monitor(query));
      // The silence after the last sound would wipe out what one wants to look at.
      if (frame.sounding && frame.sequence !== this.heard?.frame.sequence) this.heard = { frame, query };
      if (!frame.sounding && !this.playing()) this.rest();
    } catch (reason) {
      this.rest();
      this.onFailure(reason);
    }
    this.busy = false;
  }

  private rest(): void {
    this.stopAsking?.();
    this.stopAsking = null;
  }
}
