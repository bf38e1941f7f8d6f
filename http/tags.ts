/** Descriptions of the tags of operations, for the OpenAPI document. */
export const tagTexts: Readonly<Record<string, string>> = {
  Account: 'The end of an account, and exports of its data.',
  Agents: 'The service for AI assistants: the operations as tools.',
  Audit: 'Signed events, the log of their hashes, and offline proofs of both.',
  Catalogue: 'Countries, services and prices.',
  Console: 'Links that sign people in to the console, and the last requests of an account.',
  General: 'The service itself: health, metrics, errors, this document.',
  Guards:
    'Policies: what an account or a key may send, and how much of it is used; freezing; and approvals.',
  Identity: 'DIDs, Verifiable Credentials and UCANs.',
  Keys: 'Accounts and their API keys.',
  Letters: 'Quoting, sending, correcting and cancelling letters.',
  Mech: 'Letters for an on-chain marketplace.',
  Negotiation: 'Offers in tiers, locked prices and volume contracts.',
  Notifications: 'Events, to poll or to receive by webhook.',
  Orders: 'Letters that somebody pays by card.',
  'Print house': 'Reports of the partner that prints and posts.',
  Settings: 'Defaults and addresses of an account.',
  'Test mode': 'Operations for test accounts only.',
  'Tracking and proof': 'Where a letter is, and what proves it.',
  Wallet: 'Balance, top-ups and statements.',
};
