/** What the operations of a tag are about, for the OpenAPI document. */
export const tagTexts: Readonly<Record<string, string>> = {
  Agents: 'The service for AI assistants: the operations as tools.',
  Audit: 'Signed events, the log over them, and what proves both offline.',
  Catalogue: 'Countries, services and prices.',
  General: 'The service about itself: health, metrics, errors, this document.',
  Identity: 'DIDs, Verifiable Credentials and UCANs.',
  Keys: 'Accounts and their API keys.',
  Letters: 'Quoting, sending, correcting and cancelling letters.',
  Mech: 'Letters for workers of an on-chain marketplace.',
  Negotiation: 'Offers in tiers, locked prices and volume contracts.',
  Notifications: 'What happened, to be polled or pushed.',
  Orders: 'Several letters that are paid for together.',
  'Print house': 'What the partner reports that prints and posts.',
  Settings: 'Defaults and addresses of an account.',
  'Test mode': 'What only test accounts may do.',
  'Tracking and proof': 'Where a letter is, and what proves it.',
  Wallet: 'Balance, top-ups and statements.',
};
