import { createWorkers } from '../../limits/workers.ts';

/** Threads and budgets of a process in which every account is confirmed. */
export const someWorkers = () =>
  createWorkers({ turnOf: async (caller) => ({ standing: 'confirmed', ...caller }) });
