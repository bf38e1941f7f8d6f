import { type HandOverMarks, over } from '../../infra/print/hand-over-marks.ts';

/** Marks in a map, for tests: what a database would keep when a process dies. */
export const createMemoryMarks = (): HandOverMarks => {
  const marks = new Map<string, string>();
  const dates = new Map<string, string>();
  const endedAt = new Map<string, number>();
  return {
    of: async (jobId) => marks.get(jobId),
    async claim(jobId, attempt, datedAt) {
      const known = marks.get(jobId);
      if (known !== undefined) return known;
      marks.set(jobId, attempt);
      if (datedAt !== undefined) dates.set(jobId, datedAt);
      return attempt;
    },
    async renew(jobId, attempt, datedAt) {
      marks.set(jobId, attempt);
      dates.set(jobId, datedAt);
    },
    datedAt: async (jobId) => dates.get(jobId),
    async end(jobId) {
      marks.set(jobId, over);
      endedAt.set(jobId, Date.now());
    },
    async forget(jobId) {
      marks.delete(jobId);
      dates.delete(jobId);
    },
    async prune(before) {
      for (const [jobId, at] of endedAt) if (at < before) marks.delete(jobId);
    },
  };
};
