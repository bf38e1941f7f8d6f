/** Runs at most `most` pieces of work at once; the others wait in the order that they came in. */
export const createSlots = (most: number): (<T>(work: () => Promise<T>) => Promise<T>) => {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < most) running++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      // A slot goes straight to the next in turn, so that nobody takes it on the way.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
};
