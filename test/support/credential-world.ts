import { randomUUID } from 'node:crypto';
import { createCommandHandler } from '../../commands/handling/handle.ts';
import { eventHash } from '../../events/envelope.ts';
import type { EventStore } from '../../events/event-store.ts';
import { noLeases } from '../../events/lease.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import { createCredentialStore } from '../../infra/identity/credential-store.ts';
import { liveTables } from '../../infra/identity/credential-tables.ts';
import { createCredentialWriter } from '../../infra/identity/credential-writer.ts';
import { createIssuerAt } from '../../infra/identity/issuer-at.ts';
import { openServiceKeys, type ServiceKeys } from '../../infra/identity/service-keys.ts';
import { createReadDb } from '../../infra/postgres/read-db.ts';
import { type CredentialWriter, startIssuing } from '../../reactors/issue-credentials.ts';
import { createTestKeyring } from './keyring.ts';
import { createMemoryDataKeys } from './memory-data-keys.ts';
import { createMemoryEventStore } from './memory-event-store.ts';
import { freshDatabase } from './postgres.ts';

const namespace = '2f0c9a52-97a1-4f5e-8a55-0d7b3f6f2c11';

/** An event as it is stored, of a stream that the test names. */
type Plain = { stream: string; type: string; data: object; at?: string; schema?: number };

/** An event log in memory, and credentials of it in a database of their own. */
export const createCredentialWorld = async (options: { baseUrl?: string } = {}) => {
  const { url, drop } = await freshDatabase();
  const db = createReadDb({ url, max: 6, applicationName: 'test', onError: () => {} });
  const store: EventStore = createMemoryEventStore();
  const clock = Date.now;
  const handler = createCommandHandler({ store, dataKeys: createMemoryDataKeys(), clock });
  const keyring = createTestKeyring();
  const log = { warn: () => {}, error: () => {} };
  const openKeys = (baseUrl = options.baseUrl, moves = true): Promise<ServiceKeys> =>
    openServiceKeys({ store, handler, db, keyring, clock, log, baseUrl, moves });
  const keys = await openKeys();

  const heads = new Map<string, { version: bigint; hash: string }>();
  const append = async (...events: Plain[]): Promise<void> => {
    for (const { stream, type, data, at = '2026-11-21T10:00:00.123Z', schema = 1 } of events) {
      const head = heads.get(stream);
      const version = head ? head.version + 1n : 0n;
      const event = {
        id: uuidv5(namespace, `${stream}:${version}`),
        type,
        data: JSON.stringify(data),
        metadata: JSON.stringify({
          at,
          schema,
          command: randomUUID(),
          actor: 'operator',
          prev: head?.hash ?? '',
        }),
      };
      await store.append(stream, head ? head.version : 'no-stream', [event]);
      heads.set(stream, { version, hash: eventHash({ ...event, stream, version }) });
    }
  };

  const writer: CredentialWriter = createCredentialWriter({
    db,
    tables: liveTables,
    clock,
    sign: () => ({ origin: 'letters.local', key: keys.signingKey('log') }),
  });
  const issuing = (over: { writer?: CredentialWriter; own?: boolean; keys?: ServiceKeys } = {}) => {
    const used = over.keys ?? keys;
    return startIssuing({
      store,
      writer: over.writer ?? writer,
      leases: noLeases,
      issuerAt: createIssuerAt(used),
      refreshIdentity: used.refresh,
      log,
    });
  };

  return {
    db,
    store,
    handler,
    keys,
    openKeys,
    append,
    writer,
    issuing,
    credentials: createCredentialStore({ db }),
    async close(): Promise<void> {
      await keys.close();
      await store.close();
      await db.close();
      await drop();
    },
  };
};

export type CredentialWorld = Awaited<ReturnType<typeof createCredentialWorld>>;

export const accountId = 'acct_4fJm2Qx7Lw9RkT1bVz8C0d';
export const letterId = '7c1e5b1c-8f3f-4c43-9d2e-51a4f4f7a001';

const terms = (account: string, country = 'DE') => ({
  accountId: account,
  test: false,
  service: 'de_einschreiben',
  intent: 'notice',
  country,
  commitment: 'q83vASNFZ4mrze8BI0VniavN7wEjRWeJq83vASNFZ4k',
});

/** The life of a letter, with what must never be in a credential. */
export const letterEvents = (letter = letterId, account = accountId): Plain[] => {
  const stream = `letter-${letter}`;
  return [
    { stream, type: 'LetterQueued', data: { terms: terms(account), attemptId: 'attempt-1' } },
    {
      stream,
      type: 'LetterProcessingStarted',
      data: { partner: 'hotfolder', jobId: 'job-1', source: 'partner' },
    },
    {
      stream,
      type: 'TrackingNumberAssigned',
      data: { trackingNumber: 'RR123456785DE', source: 'partner' },
    },
    { stream, type: 'LetterPosted', data: { source: 'partner', inferred: true } },
    { stream, type: 'LetterInTransit', data: { source: 'carrier', location: 'Berlin Mitte' } },
    { stream, type: 'LetterDelivered', data: { source: 'carrier', evidence: 'signature' } },
  ];
};

export const accountEvents = (account = accountId): Plain[] => {
  const stream = `account-${account}`;
  return [
    {
      stream,
      type: 'AccountRegistered',
      data: { accountId: account, kind: 'email', test: false, requestHash: 'x'.repeat(43) },
    },
    {
      stream,
      type: 'DidCreated',
      data: {
        accountId: account,
        did: 'did:key:z6MkjchhfUsD6mmvni8mCdXHw216Xrm9bQe2mBH1P5RDjVJG',
        custody: 'self',
      },
    },
  ];
};
