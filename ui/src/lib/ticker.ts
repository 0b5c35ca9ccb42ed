// One clock at display rate for everything that moves while sound is playing.

type Listener = (now: number) => void;

const listeners = new Set<Listener>();
let pending = 0;

function tick(now: number): void {
  pending = listeners.size > 0 ? requestAnimationFrame(tick) : 0;
  for (const listener of listeners) listener(now);
}

/** Calls in every frame until the returned function is called. */
export function everyFrame(listener: Listener): () => void {
  listeners.add(listener);
  if (pending === 0) pending = requestAnimationFrame(tick);
  return () => {
    listeners.delete(listener);
  };
}
