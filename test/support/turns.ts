/** How often other work of the event loop ran before some work was done. */
export const turnsDuring = async (work: () => Promise<unknown>): Promise<number> => {
  let turns = 0;
  let isDone = false;
  const turn = (): void => {
    turns++;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isDone = true;
  return turns;
};

/** CPU time of the longest turn of the event loop while some work was done, in milliseconds. */
export const longestTurnMs = async (work: () => Promise<unknown>): Promise<number> => {
  let longest = 0;
  let isDone = false;
  let before = process.threadCpuUsage();
  const turn = (): void => {
    const now = process.threadCpuUsage();
    longest = Math.max(longest, (now.user + now.system - before.user - before.system) / 1_000);
    before = now;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isDone = true;
  turn();
  return longest;
};
