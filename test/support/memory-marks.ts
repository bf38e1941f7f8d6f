import { type HandOverMarks, over } from '../../infra/print/hand-over-marks.ts';

/** Marks in a map, for tests: what a database would keep when a process dies. */
export const createMemoryMarks = (): HandOverMarks => {
  const marks = new Map<string, string>();
  const endedAt = new Map<string, number>();
  return {
    of: async (jobId) => marks.get(jobId),
    async claim(jobId, attempt) {
      const mark = marks.get(jobId) ?? attempt;
      marks.set(jobId, mark);
      return mark;
    },
    async end(jobId) {
      marks.set(jobId, over);
      endedAt.set(jobId, Date.now());
    },
    async forget(jobId) {
      marks.delete(jobId);
    },
    async prune(before) {
      for (const [jobId, at] of endedAt) if (at < before) marks.delete(jobId);
    },
  };
};
