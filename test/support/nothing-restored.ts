import type { RestoredJobs } from '../../reactors/print-partner.ts';

/** For services whose data never was restored. */
export const nothingRestored: RestoredJobs = {
  doubtOf: async () => 'none',
  handedOver: async () => {},
  wasGivenAgain: async () => false,
};
