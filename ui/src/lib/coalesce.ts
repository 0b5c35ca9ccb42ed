// One request at a time; of those made meanwhile only the latest is sent.

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
        // The next change repeats a failed read; failed edits are reported where they are sent.
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

/** Debounces: acts once no call came for `ms`. */
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

/** Acts once, `ms` after the first of several calls. */
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
