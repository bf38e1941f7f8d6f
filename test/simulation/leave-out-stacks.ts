/** Runs make millions of errors on purpose. A seed that is played alone, by `SEED`, has their stack traces. */
export const leaveOutStacks = (): void => {
  const limit = Error.stackTraceLimit;
  before(() => {
    if (process.env.SEED === undefined) Error.stackTraceLimit = 0;
  });
  after(() => {
    Error.stackTraceLimit = limit;
  });
};
