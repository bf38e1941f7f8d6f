/** Tasks under one key run one after the other, even if one fails. Tasks under different keys run at once. */
export const createInTurn = () => {
  const last = new Map<string, Promise<unknown>>();

  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const ahead = last.get(key) ?? Promise.resolve();
    const turn = ahead.catch(() => {}).then(work);
    last.set(key, turn);
    try {
      return await turn;
    } finally {
      if (last.get(key) === turn) last.delete(key);
    }
  };
};
