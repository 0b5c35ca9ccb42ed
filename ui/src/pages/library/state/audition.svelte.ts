// Listening to the library: one track, or two over each other of which one is heard.

import type { AuditionTrack, Side, TrackItem } from '../../../bindings';
import { aligned, firstBoth, SAME_PLACE, sideBySide, third, type Alignment, type Placement } from '../lib/alignment';
import { settled } from '../../../lib/coalesce';
import { clamp } from '../../../lib/scale';
import type { Player } from '../../../state/player.svelte';

/** Steps of the arrow keys, as in the editor. */
export const FINE_S = 1;
export const COARSE_S = 10;
/** Keys that are held are followed by the sound so long after the last. */
const SEEK_REST_MS = 160;

export type AuditionSide = 'a' | 'b';

/** The original side is the first. */
const playerSide = (side: AuditionSide): Side => (side === 'a' ? 'original' : 'processed');

export interface Pair {
  a: TrackItem;
  b: TrackItem | null;
  alignment: Alignment;
  /** Whether both are one recording, so that their common time means something. */
  same: boolean;
}

export class Audition {
  /** The tracks in the bar; kept while it is silent. */
  pair: Pair | null = $state.raw(null);
  /** Where it goes on, while it is silent. */
  private rest = $state(0);
  private last = 0;
  /** Where keys or the pointer have brought the head, until it is heard there. */
  sought: number | null = $state(null);
  /** The side that is heard next, and the one that was heard last. */
  private chosen: AuditionSide = $state('a');
  private lastSide: AuditionSide = 'a';

  /** Whether what the bar shows is what is heard, and nothing else of the library. */
  readonly playing: boolean = $derived.by(() => {
    const { audible } = this.player;
    return audible !== null && this.pair !== null && audible.a === this.pair.a.id && audible.b === (this.pair.b?.id ?? null);
  });
  /** Which of the two is heard, or will be: of what is silent the player knows nothing, and may have played a recording since. */
  readonly side: AuditionSide = $derived.by(() => (this.playing ? this.playerSide : this.chosen));

  private readonly goThere = settled(SEEK_REST_MS, (to: number) => void this.arrive(to));

  constructor(private readonly player: Player) {}

  private get playerSide(): AuditionSide {
    return this.player.side === 'original' ? 'a' : 'b';
  }

  /** The number of the track that sounds now. */
  get sounding(): number | null {
    if (!this.playing || !this.pair) return null;
    return this.pair.b && this.side === 'b' ? this.pair.b.id : this.pair.a.id;
  }

  /** Whether the bar shows a track, or shows something while none is asked for. */
  holds(track: number | null): boolean {
    const { pair } = this;
    return pair !== null && (track === null || pair.a.id === track || pair.b?.id === track);
  }

  /** The moment of the common time that is heard now, or from where it goes on. */
  at(now = performance.now()): number {
    const heard = this.playing ? this.player.auditionAt(now) : null;
    if (heard !== null) {
      this.last = heard;
      this.lastSide = this.playerSide;
    }
    return heard ?? this.rest;
  }

  /** When the sound has stopped, whoever stopped it, it goes on from there, on the side that was heard. */
  settle(): void {
    if (this.playing) return;
    this.rest = this.last;
    this.chosen = this.lastSide;
  }

  private take(pair: Pair, side = this.side): void {
    this.remember(side);
    this.sought = null;
    this.pair = pair;
  }

  private remember(side: AuditionSide): void {
    this.chosen = this.lastSide = side;
  }

  /** Plays one track from a moment of it; from a third into it where none is given. */
  playTrack(track: TrackItem, fromS = third(track.duration_s)): Promise<void> {
    this.take({ a: track, b: null, alignment: aligned(track.duration_s, null, SAME_PLACE), same: true });
    return this.play(fromS);
  }

  /** Plays a track, or stops it when it is the one that sounds. */
  toggleTrack(track: TrackItem): Promise<void> {
    return this.sounding === track.id ? this.stop() : this.playTrack(track);
  }

  /** Lays two copies of a recording over each other and plays one of them from where both have begun. */
  compareCopies(a: TrackItem, b: TrackItem, placement: Placement, first: AuditionSide = 'a'): Promise<void> {
    const alignment = aligned(a.duration_s, b.duration_s, placement);
    this.take({ a, b, alignment, same: true }, first);
    return this.play(firstBoth(alignment), first);
  }

  /** Two recordings, each from a third of it; the second is heard first, since the other one is known. */
  async compareTracks(a: TrackItem, b: TrackItem): Promise<void> {
    const alignment = sideBySide(a.duration_s, b.duration_s);
    this.take({ a, b, alignment, same: false }, 'b');
    await this.play(alignment.a.start_s + third(a.duration_s), 'b');
  }

  async play(fromS = this.rest, side = this.side): Promise<void> {
    const { pair } = this;
    if (!pair) return;
    const from = fromS >= pair.alignment.duration_s ? 0 : Math.max(0, fromS);
    this.rest = this.last = from;
    const { offsets_s, speed } = pair.alignment;
    const a: AuditionTrack = { track: pair.a.id, offset_s: offsets_s.a, speed: 1 };
    // A faster track is played as much slower, or the two would run apart.
    const b: AuditionTrack | null = pair.b && { track: pair.b.id, offset_s: offsets_s.b, speed: 1 / speed };
    await this.player.audition(a, b, from, pair.b && playerSide(side));
  }

  async stop(): Promise<void> {
    this.rest = this.at();
    await this.player.stop();
  }

  toggle(): Promise<void> {
    return this.playing ? this.stop() : this.play();
  }

  /** Goes to a moment of the common time; what sounds goes on sounding from there. */
  async scrub(toS: number): Promise<void> {
    const to = clamp(toS, 0, this.pair?.alignment.duration_s ?? 0);
    if (this.playing) await this.play(to);
    else this.rest = this.last = to;
  }

  /** Goes some seconds on or back from where keys have already brought the head. */
  seekBy(seconds: number): void {
    if (!this.pair) return;
    this.sought = clamp((this.sought ?? this.at()) + seconds, 0, this.pair.alignment.duration_s);
    this.goThere(this.sought);
  }

  /** The head is where it was brought. */
  async arrive(to: number): Promise<void> {
    if (this.sought === null) return;
    await this.scrub(to);
    if (this.sought === to) this.sought = null;
  }

  /** Lets one of the two be heard, now or when it is played next. */
  async hear(side: AuditionSide): Promise<void> {
    if (!this.pair?.b) return;
    this.remember(side);
    if (this.playing) await this.setPlayerSide(side);
  }

  private setPlayerSide(side: AuditionSide): Promise<void> {
    return this.player.setSide(playerSide(side));
  }

  swap(): Promise<void> {
    return this.hear(this.side === 'a' ? 'b' : 'a');
  }

  async close(): Promise<void> {
    if (this.playing) await this.player.stop();
    this.pair = null;
    this.sought = null;
    this.rest = this.last = 0;
  }

  /** Forgets tracks that are gone, and is silent before their files are moved. */
  async forget(tracks: ReadonlySet<number>): Promise<void> {
    const { pair } = this;
    if (pair && (tracks.has(pair.a.id) || (pair.b && tracks.has(pair.b.id)))) await this.close();
  }
}
