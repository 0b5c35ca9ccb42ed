// One request at a time; of those that come meanwhile only the latest is made.

export function latestOnly<A, R>(ask: (args: A) => Promise<R>, answer: (result: R, args: A) => void): (args: A) => void {
  let waiting: { args: A } | null = null;
  let busy = false;
  async function run(args: A): Promise<void> {
    busy = true;
    let next: { args: A } | null = { args };
    while (next) {
      const current = next.args;
      try {
        answer(await ask(current), current);
      } catch {
        // A failed read is made again by the next change; an edit's failure is told where edits are sent.
      }
      next = waiting;
      waiting = null;
    }
    busy = false;
  }
  return (args) => {
    if (busy) waiting = { args };
    else void run(args);
  };
}

/** Calls once things have been quiet for `ms`. */
export function settled<A>(ms: number, action: (args: A) => void): ((args: A) => void) & { flush(): void } {
  let timer: ReturnType<typeof setTimeout> | null = null;
  let last: { args: A } | null = null;
  const fire = () => {
    timer = null;
    const held = last;
    last = null;
    if (held) action(held.args);
  };
  const later = (args: A) => {
    last = { args };
    if (timer) clearTimeout(timer);
    timer = setTimeout(fire, ms);
  };
  return Object.assign(later, {
    flush() {
      if (timer) clearTimeout(timer);
      fire();
    },
  });
}

/** Acts `ms` after the first of several calls; those that come meanwhile are answered by the same. */
export function gathered(ms: number, action: () => void): (() => void) & { cancel(): void } {
  let timer: ReturnType<typeof setTimeout> | null = null;
  const call = () => {
    timer ??= setTimeout(() => {
      timer = null;
      action();
    }, ms);
  };
  return Object.assign(call, {
    cancel() {
      if (timer) clearTimeout(timer);
      timer = null;
    },
  });
}
