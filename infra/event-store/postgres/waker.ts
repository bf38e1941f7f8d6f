/** Subscribers look by themselves this often, in case a notification was lost. */
const pollMs = 500;

/** Wakes subscribers when something was appended, by this process or by another one. */
export const createWaker = () => {
  const wakers = new Set<() => void>();
  /** The furthest position that this process has heard of. */
  let knownHead = 0n;

  const wake = (head: bigint): void => {
    if (head > knownHead) knownHead = head;
    for (const waker of wakers) waker();
  };

  /** Resolves when something was appended behind `position`; to false when only time went by. */
  const nextWake = (position: bigint, signal: AbortSignal): Promise<boolean> =>
    new Promise((resolve) => {
      const done = (heard: boolean): void => {
        clearTimeout(timer);
        wakers.delete(check);
        signal.removeEventListener('abort', giveUp);
        resolve(heard);
      };
      const check = (): void => {
        if (knownHead > position) done(true);
      };
      const giveUp = (): void => done(false);
      const timer = setTimeout(giveUp, pollMs);
      wakers.add(check);
      signal.addEventListener('abort', giveUp, { once: true });
      check();
    });

  return { wake, nextWake, knownHead: (): bigint => knownHead };
};
