// Tracks that sound like a track or the open recording; answers follow the weights.

import type { Backend } from '../../../backend';
import type { LikeWhat, LibrarySettings, SimilarItem, TrackItem } from '../../../bindings';
import { latestOnly } from '../../../lib/coalesce';
import { failureMessage } from '../../../state/notices.svelte';

interface Question {
  like: LikeWhat;
  weights: Record<string, number>;
  count: number;
}

interface Answer {
  asked: TrackItem | null;
  items: SimilarItem[];
}

export class Similar {
  answers: SimilarItem[] = $state.raw([]);
  failure: string | null = $state(null);
  /** The question that is answered now; none before the first. */
  answered: LikeWhat | null = $state.raw(null);
  asking = $state(false);
  /** The answer that the Tab key comes to. */
  at = $state(0);
  /** The track that was asked for, to hear beside an answer; none for an open recording. */
  asked: TrackItem | null = $state.raw(null);
  /** The answer at hand. */
  readonly here: SimilarItem | null = $derived(this.answers[this.at] ?? null);
  private readonly send: (question: Question | null) => void;

  constructor(backend: Backend) {
    this.send = latestOnly<Question | null, Answer | { failure: string }>(
      async (question) => {
        if (!question) return { asked: null, items: [] };
        try {
          const { like } = question;
          const rows = like.kind === 'track' ? backend.call('library.rows', { tracks: [like.track] }) : Promise.resolve([]);
          const [items, [asked = null]] = await Promise.all([backend.call('library.similar', question), rows]);
          return { asked, items };
        } catch (reason) {
          return { failure: failureMessage(reason) };
        }
      },
      (result, question) => {
        const answer = 'failure' in result ? { asked: null, items: [] } : result;
        this.asking = false;
        const isSame = JSON.stringify(this.answered) === JSON.stringify(question?.like ?? null);
        // Of the same question the answer at hand stays at hand, wherever it stands now.
        const held = isSame ? this.answers[this.at]?.track.id : undefined;
        this.asked = answer.asked;
        this.answers = answer.items;
        const place = answer.items.findIndex((each) => each.track.id === held);
        this.at = place !== -1 ? place : isSame ? Math.max(0, Math.min(this.at, answer.items.length - 1)) : 0;
        this.failure = 'failure' in result ? result.failure : null;
        if (!isSame) this.answered = question?.like ?? null;
      },
    );
  }

  /** By keys, from answer to answer. */
  move(key: string): void {
    const step = { Down: 1, Up: -1, PageDown: 6, PageUp: -6, Home: -Infinity, End: Infinity }[key] ?? 0;
    const to = Math.min(this.answers.length - 1, Math.max(0, this.at + step));
    this.at = to;
    requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-answer="${to}"]`)?.focus());
  }

  /** Asks, or asks nothing: while an answer is on its way only the latest question waits. Quietly, nothing tells of it. */
  ask(like: LikeWhat | null, { weights, similar_count }: Pick<LibrarySettings, 'weights' | 'similar_count'>, quietly = false): void {
    if (!quietly) this.asking = like !== null;
    this.send(like && { like, weights, count: similar_count });
  }
}
