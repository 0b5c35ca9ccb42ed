import { describe, expect, it } from 'vitest';
import type { DocumentView, Edit } from '../src/bindings';
import { latestOnly } from '../src/lib/coalesce';
import { EditQueue, newGesture } from '../src/state/edits';

const turn = (value: number, gesture: number | null): Edit => ({ kind: 'set_argument', node: 1, name: 'cutoff', value, gesture });

function bench() {
  const sent: Edit[] = [];
  const made: number[] = [];
  const refused: unknown[] = [];
  let pending: Edit[] = [];
  let release: ((fail?: unknown) => void)[] = [];
  const queue = new EditQueue({
    send: (edit) =>
      new Promise((resolve, reject) => {
        sent.push(edit);
        release.push((fail) => (fail === undefined ? resolve({ revision: sent.length } as DocumentView) : reject(fail)));
      }),
    made: (view) => made.push(view.revision),
    refused: (reason) => refused.push(reason),
    pending: (edits) => (pending = edits),
  });
  const answer = async (fail?: unknown) => {
    release.shift()?.(fail);
    await Promise.resolve();
    await new Promise((done) => setTimeout(done, 0));
  };
  return { queue, sent, made, refused, answer, pending: () => pending };
}

describe('edits on their way', () => {
  it('fly one at a time, and of a drag only the latest position waits', async () => {
    const { queue, sent, answer } = bench();
    for (const value of [100, 110, 120, 130]) queue.push(turn(value, 7));
    expect(sent).toEqual([turn(100, 7)]);
    await answer();
    expect(sent).toEqual([turn(100, 7), turn(130, 7)]);
  });

  it('keep their order, so that nothing overtakes', async () => {
    const { queue, sent, answer } = bench();
    queue.push(turn(100, 7));
    queue.push(turn(110, 7));
    queue.push({ kind: 'remove', node: 1 });
    queue.push(turn(120, 8));
    for (let i = 0; i < 4; i++) await answer();
    expect(sent.map((edit) => edit.kind)).toEqual(['set_argument', 'set_argument', 'remove', 'set_argument']);
  });

  it('stay visible until they are made, and go when they are refused', async () => {
    const { queue, answer, pending, refused, made } = bench();
    queue.push(turn(100, 7));
    queue.push(turn(110, 7));
    expect(pending()).toHaveLength(2);
    await answer({ code: 'invalid', message: 'no' });
    expect(refused).toHaveLength(1);
    expect(pending()).toEqual([turn(110, 7)]);
    await answer();
    expect(pending()).toEqual([]);
    expect(made).toEqual([2]);
  });

  it('say when all of them are made', async () => {
    const { queue, answer } = bench();
    let idle = false;
    queue.push(turn(100, 7));
    void queue.idle().then(() => (idle = true));
    await new Promise((done) => setTimeout(done, 0));
    expect(idle).toBe(false);
    await answer();
    expect(idle).toBe(true);
    await expect(queue.idle()).resolves.toBeUndefined();
  });

  it('belong to drags that are told apart', () => {
    expect(newGesture()).not.toBe(newGesture());
  });
});

it('asks once at a time and once more for the latest', async () => {
  const asked: number[] = [];
  const answered: number[] = [];
  const ask = latestOnly(
    async (value: number) => {
      asked.push(value);
      await new Promise((done) => setTimeout(done, 1));
      if (value === 1) throw new Error('refused');
      return value;
    },
    (value) => answered.push(value),
  );
  for (const value of [1, 2, 3, 4]) ask(value);
  await new Promise((done) => setTimeout(done, 20));
  expect(asked).toEqual([1, 4]);
  expect(answered).toEqual([4]);
  ask(5);
  await new Promise((done) => setTimeout(done, 10));
  expect(answered).toEqual([4, 5]);
});
