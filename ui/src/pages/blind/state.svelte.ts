// Blind tests: what is set up, the trial that waits for an answer, and results.

import type { BlindFormat, BlindOdds, BlindSession, BlindSound, BlindTest, BlindTrial, BlindView, CompareVersion, Passage, Report, Rule } from '../../bindings';
import { text } from '../../text/catalogue';
import type { App } from '../../state/app.svelte';

export type BlindKind = 'abx' | 'ranking';
export type RuleKind = Rule['kind'];

const TRIALS = 16;
const MOST = 60;

export const sameBlindSound = (a: BlindSound, b: BlindSound): boolean => a.kind === b.kind && (a.kind !== 'stimulus' || b.kind !== 'stimulus' || a.place === b.place);

export class Blind {
  view: BlindView | null = $state.raw(null);
  report: Report | null = $state.raw(null);
  /** The sessions whose results are shown. */
  private reported: string[] = [];
  odds: BlindOdds | null = $state.raw(null);
  /** Why the rule cannot be. */
  oddsFailure: string | null = $state(null);
  /** Whether the end of the test is being asked about. */
  asking = $state(false);

  kind: BlindKind = $state('abx');
  private chosenA: number | null = $state(null);
  private chosenB: number | null = $state(null);
  /** Versions that are left out of a ranking. */
  leftOut: number[] = $state.raw([]);
  lowAnchor = $state(true);
  midAnchor = $state(true);
  /** The passage of trials of A against B, in seconds; null for the whole timeline. */
  private part: { start_s: number; end_s: number } | null = $state.raw(null);
  passages: Passage[] = $state.raw([]);
  ruleKind: RuleKind = $state('fixed');
  trials = $state(TRIALS);
  most = $state(MOST);
  level = $state(0.05);
  ability = $state(0.75);
  listener = $state('');
  note = $state('');

  /** Scores of the present trial, by the order presented; null until scored. */
  scores: (number | null)[] = $state.raw([]);
  private scored = '';
  /** Whether the trial was to be ended before every stimulus was scored. */
  urged = $state(false);

  readonly trial: BlindTrial | null = $derived(this.view?.trial ?? null);
  readonly sessions: BlindSession[] = $derived(this.view?.sessions ?? []);
  /** Versions that can be heard. */
  readonly versions: CompareVersion[] = $derived.by(() => this.app.compare.versions.filter(({ state }) => state === 'compared' || state === 'reference'));
  readonly others: CompareVersion[] = $derived(this.versions.filter(({ state }) => state === 'compared'));
  readonly a: number | null = $derived.by(() => this.known(this.chosenA) ?? this.app.compare.view?.reference ?? null);
  readonly b: number | null = $derived.by(() => this.known(this.chosenB) ?? this.others[0]?.id ?? null);
  readonly ranked: CompareVersion[] = $derived(this.others.filter(({ id }) => !this.leftOut.includes(id)));
  /** The length of the timeline in seconds. */
  readonly length_s = $derived.by(() => {
    const { timeline } = this.app.compare;
    return timeline ? timeline.frames / timeline.rate : 0;
  });
  readonly passage = $derived(this.part ?? { start_s: 0, end_s: this.length_s });
  readonly rule: Rule = $derived(
    this.ruleKind === 'fixed'
      ? { kind: 'fixed', trials: this.trials, level: this.level }
      : { kind: 'sequential', level: this.level, miss: this.level, ability: this.ability, most: this.most },
  );
  /** Why a test cannot begin; null if it can. */
  readonly reason: string | null = $derived.by(() => {
    const t = text.blind.reasons;
    if (this.app.compare.others.length === 0) return t.few;
    if (this.others.length === 0) return t.waiting;
    if (this.kind === 'ranking') return this.ranked.length === 0 ? t.none : this.passages.length === 0 ? t.noPassage : null;
    return this.a === this.b ? t.same : this.oddsFailure;
  });
  readonly unscored = $derived(this.scores.some((score) => score === null));
  readonly playing = $derived.by(() => this.app.player.playing && this.app.player.transport?.comparison != null);

  constructor(private readonly app: App) {}

  private known(version: number | null): number | null {
    return this.versions.some(({ id }) => id === version) ? version : null;
  }

  async load(): Promise<void> {
    await this.change(() => this.app.backend.call('blind.view', {}));
    if (this.passages.length === 0) this.addPassage();
    void this.weigh();
  }

  private take(view: BlindView): void {
    this.view = view;
    const { trial } = view;
    const key = trial ? `${trial.session} ${trial.answered}` : '';
    if (key !== this.scored) {
      this.scored = key;
      this.scores = Array.from({ length: trial?.stimuli ?? 0 }, () => null);
    }
  }

  private async change(call: () => Promise<BlindView>): Promise<boolean> {
    return this.app.notices.attempt(async () => {
      this.take(await call());
      return true;
    }).then((done) => done === true);
  }

  /** Asks what the rule means for listeners. */
  async weigh(): Promise<void> {
    const { rule } = this;
    try {
      const odds = await this.app.backend.call('blind.odds', { rule });
      if (rule !== this.rule) return;
      [this.odds, this.oddsFailure] = [odds, null];
    } catch (reason) {
      if (rule === this.rule) [this.odds, this.oddsFailure] = [null, reason instanceof Object && 'message' in reason ? String(reason.message) : String(reason)];
    }
  }

  choose(which: 'a' | 'b', version: number): void {
    if (which === 'a') this.chosenA = version;
    else this.chosenB = version;
  }

  setRanked(version: number, on: boolean): void {
    this.leftOut = on ? this.leftOut.filter((id) => id !== version) : [...this.leftOut, version];
  }

  setPassage(start_s: number, end_s: number): void {
    const start = Math.max(0, Math.min(start_s, this.length_s - 0.05));
    this.part = { start_s: start, end_s: Math.min(this.length_s, Math.max(start + 0.05, end_s)) };
  }

  /** The part of the timeline that the lanes show. */
  private get seen(): { start_s: number; end_s: number } {
    const { timeline, range } = this.app.compare;
    return timeline ? { start_s: range.start / timeline.rate, end_s: Math.min(timeline.frames, range.end) / timeline.rate } : { start_s: 0, end_s: 0 };
  }

  useView(): void {
    this.part = this.seen;
  }

  addPassage(): void {
    const { seen } = this;
    if (seen.end_s > seen.start_s) this.passages = [...this.passages, { name: text.blind.passageName(this.passages.length + 1), ...seen }];
  }

  changePassage(place: number, changed: Partial<Passage>): void {
    this.passages = this.passages.map((passage, at) => (at === place ? { ...passage, ...changed } : passage));
  }

  removePassage(place: number): void {
    this.passages = this.passages.filter((_, at) => at !== place);
  }

  async begin(): Promise<void> {
    const { a, b, rule, listener, note } = this;
    if (this.reason !== null || a === null || b === null) return;
    const versions = this.kind === 'abx' ? [a, b] : this.ranked.map(({ id }) => id);
    const test: BlindTest =
      this.kind === 'abx'
        ? { kind: 'abx', a: 0, b: 1, passage: { name: text.blind.passageName(1), ...this.passage }, rule }
        : { kind: 'ranking', low_anchor: this.lowAnchor, mid_anchor: this.midAnchor, passages: [...this.passages] };
    if (await this.change(() => this.app.backend.call('blind.start', { listener, note, versions, test }))) await this.play();
  }

  async resume(session: BlindSession): Promise<void> {
    if (await this.change(() => this.app.backend.call('blind.resume', { session: session.id }))) await this.play();
  }

  async hear(sound: BlindSound): Promise<void> {
    const plays = this.playing;
    await this.change(() => this.app.backend.call('blind.hear', { sound }));
    if (!plays) await this.play();
  }

  async play(): Promise<void> {
    if (this.trial) await this.app.player.playBlind(this.paused ?? this.trial.passage_frames[0]);
    this.paused = null;
  }

  private paused: number | null = null;

  toggle(): Promise<void> {
    return this.playing ? this.pause() : this.play();
  }

  /** Stops a trial; it goes on from there. */
  async pause(): Promise<void> {
    if (!this.trial || !this.playing) return;
    const head = this.app.player.comparedAt();
    await this.app.player.stop();
    this.paused = head === null ? null : Math.round(head);
  }

  /** Where in the passage it plays, 0..1; null while it does not. */
  share(): number | null {
    const head = this.app.player.comparedAt();
    if (head === null || !this.trial) return null;
    const [start, end] = this.trial.passage_frames;
    const length = Math.max(1, end - start);
    // The clock runs on where the passage begins again, until the core says so.
    return (((head - start) % length) + length) % length / length;
  }

  async answer(said: 'x_is_a' | 'x_is_b'): Promise<void> {
    const { trial } = this;
    if (!trial?.names) return;
    this.paused = null;
    if (await this.change(() => this.app.backend.call('blind.answer', { said }))) await this.goOn(trial.session);
  }

  score(place: number, score: number | null): void {
    this.scores = this.scores.map((each, at) => (at === place ? score : each));
    this.urged = false;
  }

  /** Changes the score of what is heard. */
  step(by: number): void {
    const heard = this.trial?.heard;
    if (heard?.kind !== 'stimulus') return;
    const now = this.scores[heard.place];
    this.score(heard.place, now == null ? 50 : Math.max(0, Math.min(100, now + by)));
  }

  async next(): Promise<void> {
    const { trial } = this;
    const scores = this.scores.filter((score) => score !== null);
    if (!trial || trial.stimuli === 0) return;
    this.urged = scores.length < trial.stimuli;
    if (this.urged) return;
    this.paused = null;
    if (await this.change(() => this.app.backend.call('blind.answer', { said: { scores } }))) await this.goOn(trial.session);
  }

  /** Plays the next trial, or shows what came of the test. */
  private async goOn(session: string): Promise<void> {
    if (this.trial) await this.play();
    else await this.show([session]);
  }

  async leave(): Promise<void> {
    this.paused = null;
    await this.change(() => this.app.backend.call('blind.leave', {}));
  }

  async giveUp(): Promise<void> {
    const { trial } = this;
    this.asking = false;
    this.paused = null;
    if (trial && (await this.change(() => this.app.backend.call('blind.give_up', {})))) await this.show([trial.session]);
  }

  async show(sessions: string[]): Promise<void> {
    await this.app.notices.attempt(async () => {
      this.report = await this.app.backend.call('blind.report', { sessions });
      this.reported = sessions;
    });
  }

  hideReport(): void {
    this.report = null;
  }

  async export(format: BlindFormat): Promise<void> {
    await this.app.notices.attempt(async () => {
      if (await this.app.backend.call('blind.export', { sessions: this.reported, format })) this.app.notices.tell('info', text.blind.exported);
    });
  }

  async remove(session: BlindSession): Promise<void> {
    await this.change(() => this.app.backend.call('blind.remove', { session: session.id }));
  }
}
