type Fields = Record<string, unknown>;
type Write = (fields: Fields) => void;

const everyMs = 10_000;

type RepeatLog = {
  /** Writes the line at once, or counts it where one with the same key was written lately. */
  write(key: string, fields: Fields, write: Write): void;
};

/**
 * Log lines that callers can cause as often as they like: the first of a kind is written at once, and the others of
 * the same ten seconds are one line with their number in `times`. Keys must be few: operations and codes, no text
 * of callers.
 */
export const createRepeatLog = (pauseMs = everyMs): RepeatLog => {
  const counted = new Map<string, { times: number; fields: Fields; write: Write }>();
  const tell = (key: string): void => {
    const { times, fields, write } = counted.get(key) ?? { times: 0, fields: {}, write: () => {} };
    counted.delete(key);
    if (times === 0) return;
    write({ ...fields, times });
    startCounting(key, fields, write);
  };
  const startCounting = (key: string, fields: Fields, write: Write): void => {
    counted.set(key, { times: 0, fields, write });
    setTimeout(tell, pauseMs, key).unref();
  };
  return {
    write(key, fields, write) {
      const known = counted.get(key);
      if (known) {
        known.times += 1;
        known.fields = fields;
        return;
      }
      write(fields);
      startCounting(key, fields, write);
    },
  };
};
