/** Which events of a log are the service's own. Others may write to the same log (docs/eventstoredb.md). */
import type { EventStore, RecordedEvent } from './event-store.ts';
import { definitions } from './registry.ts';
import { serviceIdentityStream } from './service-identity.ts';

/** How the names of the service's streams begin. */
const prefixes = [
  ...[
    'account-',
    'announced-amount-',
    'audit-links-',
    'books-',
    'commitment-',
    'letter-',
    'logos-',
    'mail-',
  ],
  ...['mech-day-', 'mech-request-', 'order-', 'payer-', 'payment-', 'topup-', 'tracking-link-'],
  ...['transfer-', 'ucan-', 'volume-contract-', 'wallet-', serviceIdentityStream],
];

const isOwn = ({ stream, type }: RecordedEvent): boolean =>
  Object.hasOwn(definitions, type) && prefixes.some((prefix) => stream.startsWith(prefix));

/** How many events are looked at together. */
const pageSize = 2_000;

/** Whether the log holds an event of the service. Reads the whole log where it holds only those of others. */
export const hasOwnEvents = async (
  store: Pick<EventStore, 'readStream' | 'readAll'>,
): Promise<boolean> => {
  if ((await store.readStream(serviceIdentityStream, { limit: 1 })).some(isOwn)) return true;
  let page = await store.readAll({ after: 0n, limit: pageSize });
  for (;;) {
    if (page.some(isOwn)) return true;
    const last = page.at(-1);
    if (!last) return false;
    page = await store.readAll({ after: last.position, limit: pageSize });
  }
};
