// The search field: what is typed, what could stand there next, what is wrong with it.

import type { Failure, NotationError, QueryCompletion, QueryCompletions } from '../../../bindings';
import { positionFromBytes } from '../../../lib/bytes';
import { latestOnly, settled } from '../../../lib/coalesce';
import type { App } from '../../../state/app.svelte';

/** The table follows what is typed after a pause as long as this. */
const PAUSE_MS = 180;

export class LibraryQuery {
  /** The text in the field. */
  draft = $state('');
  problem: NotationError | null = $state.raw(null);
  private completions: QueryCompletions | null = $state.raw(null);
  /** Whether the list of completions is open. */
  open = $state(false);
  /** The completion that is chosen by keys; -1 for none. */
  at = $state(-1);

  readonly items: QueryCompletion[] = $derived(this.open ? (this.completions?.items ?? []) : []);
  /** The text in three parts, of which the middle one is wrong. */
  readonly spanned = $derived.by(() => {
    const { problem, draft } = this;
    if (!problem) return null;
    const start = positionFromBytes(draft, problem.start);
    const end = Math.max(start + 1, positionFromBytes(draft, problem.end));
    return { before: draft.slice(0, start), inside: draft.slice(start, end), after: draft.slice(end) };
  });

  /** The text that was last asked for from here. */
  private asked: string | null = null;
  private readonly later: ReturnType<typeof settled<null>>;
  private readonly complete: (args: { text: string; cursor: number }) => void;

  constructor(private readonly app: App) {
    this.draft = app.library.text;
    this.later = settled(PAUSE_MS, () => void this.ask());
    this.complete = latestOnly(
      (args) => app.backend.call('library.complete_query', args),
      (found, { text }) => {
        if (text !== this.draft) return;
        this.completions = found;
        this.at = -1;
      },
    );
  }

  /** Something was typed; the cursor stands at a place in UTF-16 units. */
  typed(draft: string, cursor: number): void {
    this.draft = draft;
    this.problem = null;
    this.open = true;
    this.complete({ text: draft, cursor });
    this.later(null);
  }

  /** The question was changed elsewhere. */
  follow(words: string): void {
    // An answer to what was typed here may come when more is typed already.
    if (words === this.draft || words === this.asked) return;
    this.asked = null;
    this.draft = words;
    this.problem = null;
    this.close();
  }

  private async ask(): Promise<void> {
    const words = this.draft;
    this.asked = words;
    try {
      await this.app.library.ask(words, this.app.library.settings.sort);
    } catch (reason) {
      if (words !== this.draft) return;
      this.problem = (reason as Partial<Failure>).notation ?? null;
      if (!this.problem) this.app.notices.fail(reason);
    }
  }

  /** Asks at once. */
  enter(): void {
    this.close();
    this.later.flush();
  }

  step(by: 1 | -1): void {
    const { length } = this.items;
    if (length === 0) return;
    this.at = (this.at + by + length + (this.at === -1 && by < 0 ? 1 : 0)) % length;
  }

  /** Puts a completion where it belongs; the place where the cursor then stands. */
  take(item: QueryCompletion): number {
    const { start, end } = this.completions ?? { start: this.draft.length, end: this.draft.length };
    const cursor = start + item.text.length;
    this.typed(this.draft.slice(0, start) + item.text + this.draft.slice(end), cursor);
    return cursor;
  }

  useNearest(): void {
    const { spanned, problem } = this;
    if (!spanned || !problem?.nearest) return;
    const draft = spanned.before + problem.nearest + spanned.after;
    this.typed(draft, spanned.before.length + problem.nearest.length);
  }

  set(words: string): void {
    this.draft = words;
    this.problem = null;
    this.close();
    this.later(null);
    this.later.flush();
  }

  close(): void {
    this.open = false;
    this.at = -1;
  }
}
