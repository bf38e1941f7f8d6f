import type { QuoteStore } from '../../commands/preparation/quote.ts';

/** Quotes in memory. */
export const createMemoryQuotes = (): QuoteStore => {
  const held = new Map<string, string>();
  return {
    async put(name, quote) {
      held.set(name, quote);
    },
    get: async (name) => held.get(name),
  };
};
