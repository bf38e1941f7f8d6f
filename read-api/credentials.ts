import { type AnyOperation, operation } from '../contract/operation.ts';
import { encodeCursor } from '../ground/cursor.ts';
import { Type } from '../ground/type.ts';
import type { CredentialLog, StoredCredential } from '../identity/credential-log.ts';
import type { Limits } from '../limits/table.ts';
import { Cursor, LetterId, Page, RowsPerPage, usualRows } from '../presenters/common.ts';
import { CredentialItem, presentCredential } from '../presenters/credentials.ts';
import { pageOf, placeOf } from '../presenters/paging.ts';
import { invalidQuery } from './invalid-query.ts';

/** A filter by type reads this many credentials per request; the next page continues from there. */
const maxScanned = 2_000;
const scanPage = 500;

type Wish = { accountId: string; stream?: string; type?: string; before?: number; limit: number };

/** One more than `limit` of those that fit, or as many as the scan came by, and where it stopped. */
const collect = async (
  log: Pick<CredentialLog, 'ofAccount'>,
  wish: Wish,
): Promise<{ found: StoredCredential[]; stoppedAt: number | undefined }> => {
  const { accountId, stream, type, limit } = wish;
  const found: StoredCredential[] = [];
  let { before } = wish;
  for (let scanned = 0; scanned < maxScanned; scanned += scanPage) {
    const size = type === undefined ? limit + 1 : scanPage;
    const page = await log.ofAccount(accountId, { before, limit: size, stream });
    for (const stored of page) {
      if (type === undefined || presentCredential(stored).type === type) found.push(stored);
      if (found.length > limit) return { found, stoppedAt: undefined };
    }
    before = page.at(-1)?.logIndex;
    if (page.length < size) return { found, stoppedAt: undefined };
  }
  return { found, stoppedAt: before };
};

type CredentialPorts = {
  /** The names of all events of letters. */
  letterEvents: readonly string[];
  /** Whether an event of any kind has this name. */
  isEventName: (name: string) => boolean;
  credentials: Pick<CredentialLog, 'ofAccount'>;
  limits: Pick<Limits, 'pageSize'>;
};

/** @throws AppError validation_failed: a list without any rows would seem to say that it did not happen */
const assertKind = (
  type: string | undefined,
  { letterEvents, isEventName }: Pick<CredentialPorts, 'letterEvents' | 'isEventName'>,
): void => {
  if (type === undefined || letterEvents.includes(type)) return;
  if (type.startsWith('letter.')) {
    throw invalidQuery(
      'type',
      `No event of a letter is called ${type}. They are ${letterEvents.join(', ')}.`,
    );
  }
  if (isEventName(type)) return;
  throw invalidQuery(
    'type',
    `No event is called ${type}. Events have other names than notifications: leave type out to see the names.`,
  );
};

export const credentialOperations = (ports: CredentialPorts): AnyOperation[] => {
  const listCredentials = operation({
    name: 'list_credentials',
    method: 'GET',
    path: '/api/identity/credentials',
    tag: 'Identity',
    summary: 'List the credentials issued to you',
    description:
      'One Verifiable Credential for each event of your account, its letters and its wallet, newest first. A page can be shorter than `limit` even if more credentials follow.',
    access: 'auth',
    permit: { about: 'account' },
    input: {
      query: Type.Exact({
        letter_id: Type.Optional(LetterId),
        type: Type.Optional(
          Type.String({
            pattern: '^[a-z]+\\.[a-z_]{1,60}$',
            description: 'Kind of event, such as `letter.posted`.',
          }),
        ),
        limit: Type.Optional(RowsPerPage(ports.limits)),
        cursor: Type.Optional(Cursor),
      }),
    },
    responses: { 200: { description: 'A page of credentials', schema: Page(CredentialItem) } },
    errors: ['invalid_cursor'],
    async handle({ caller, query }) {
      const { letter_id: letterId, type, cursor, limit = usualRows(ports.limits) } = query;
      assertKind(type, ports);
      const place = placeOf(cursor);
      const { found, stoppedAt } = await collect(ports.credentials, {
        accountId: caller.accountId,
        limit,
        stream: letterId === undefined ? undefined : `letter-${letterId}`,
        type,
        before: place === undefined ? undefined : Number(place),
      });
      const page = pageOf(found, limit, ({ logIndex }) => BigInt(logIndex), presentCredential);
      if (stoppedAt === undefined) return { body: page };
      return { body: { ...page, has_more: true, next_cursor: encodeCursor(BigInt(stoppedAt)) } };
    },
  });

  return [listCredentials];
};
