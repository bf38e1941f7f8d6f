/** The entries of the navigation. */
export const roomWords = {
  overview: 'Overview',
  search: 'Search',
  accounts: 'Accounts',
  production: 'Production',
  returned: 'Returned mail',
  jobs: 'Jobs',
  system: 'System',
  checks: 'Checks',
  audit: 'Audit',
} as const;

export type OperatorRoom = keyof typeof roomWords;
