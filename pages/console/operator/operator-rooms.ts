/** The entries of the navigation. */
export const operatorRooms = [
  'overview',
  'search',
  'accounts',
  'production',
  'returned',
  'jobs',
  'system',
  'checks',
  'audit',
] as const;

export type OperatorRoom = (typeof operatorRooms)[number];
