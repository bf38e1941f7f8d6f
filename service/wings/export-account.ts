/** The files of an export that are about the account itself. Long ones go on in the next part. */
import { accountAggregate } from '../../commands/accounts/account.ts';
import { activeKeys } from '../../commands/accounts/keys.ts';
import type { UploadedLogo } from '../../commands/logos/logo-book.ts';
import { AppError } from '../../contract/errors.ts';
import { accountStream } from '../../events/account.ts';
import { openBytes } from '../../events/sealing.ts';
import { placeOfWallet, walletStream } from '../../events/wallet.ts';
import { toTimestamp } from '../../ground/clock.ts';
import { streamsBehind } from '../../infra/accounts/account-data.ts';
import { type EventPorts, linesOf } from '../../reactors/export-events.ts';
import type { AccountWriter, Part } from '../../reactors/make-export.ts';
import { wholeStatement } from '../../read-api/statement.ts';
import type { Foundation } from '../foundation/wing.ts';

const streamsAtOnce = 500;

export const eventPortsOf = ({ storage, keys }: Foundation): EventPorts => ({
  store: storage.store,
  credentials: storage.credentials,
  dataKeys: keys.dataKeys,
});

export const json = (value: unknown): string => `${JSON.stringify(value, null, 1)}\n`;

/** Settings and keys without their secrets. */
const accountFacts = async (foundation: Foundation, accountId: string): Promise<object> => {
  const { state } = await foundation.commands.handler.load(accountAggregate, accountId);
  if (state.status !== 'open') throw new AppError('account_not_found', 'The account was erased.');
  const { kind, name, test, confirmedAt, settings, did, language } = state;
  const keys = activeKeys(state, toTimestamp(foundation.clock()));
  return {
    account_id: accountId,
    kind,
    name,
    test,
    confirmed_at: confirmedAt ?? null,
    language: language ?? null,
    did: did?.did ?? null,
    webhook_url: settings.webhookUrl ?? null,
    notification_email: settings.notificationEmail ?? null,
    audit_webhooks: [...state.subscriptions.values()].map(({ subscriptionId: id, url }) => ({
      id,
      url,
    })),
    keys: keys.map(({ keyId: id, label, scope, prefix, createdAt, expiresAt }) => ({
      id,
      label,
      scope,
      prefix,
      created_at: createdAt,
      expires_at: expiresAt ?? null,
    })),
  };
};

/** The account, the periods of its wallet, then all others by name. */
const streamsFrom = async function* (
  { storage: { store, readDb } }: Foundation,
  accountId: string,
  first: string,
): AsyncGenerator<string> {
  const account = accountStream(accountId);
  if (first === account) yield account;
  const isWallet = first === walletStream(accountId, placeOfWallet(first).period);
  if (first === account || isWallet) {
    for (let period = isWallet ? placeOfWallet(first).period : 0; ; period++) {
      const stream = walletStream(accountId, period);
      if ((await store.readStream(stream, { limit: 1 })).length === 0) break;
      yield stream;
    }
  } else yield first;
  for (let after = first === account || isWallet ? '' : first; ; ) {
    const streams = await streamsBehind(readDb, accountId, after, streamsAtOnce);
    yield* streams;
    const last = streams.at(-1);
    if (last === undefined) return;
    after = last;
  }
};

/** A file that goes on in the next part once this part is full: `stopped` gets the position where it continues. */
type Filling = { isFull: () => boolean; stopped: (place: string) => void };

/** The lines of events from a position on. */
const eventsFrom = async function* (
  foundation: Foundation,
  accountId: string,
  [first, version]: [stream: string, version: bigint],
  { isFull, stopped }: Filling,
): AsyncGenerator<string> {
  const ports = eventPortsOf(foundation);
  for await (const stream of streamsFrom(foundation, accountId, first)) {
    for await (const { lines, next } of linesOf(ports, stream, stream === first ? version : 0n)) {
      yield lines;
      if (isFull()) return stopped(`${stream} ${next}`);
    }
  }
};

/** Reads the blob directly, because `logos` would count this as a use. Undefined: the logo was deleted. */
const imageOf = async (
  { storage: { blobs }, keys }: Foundation,
  { blob }: UploadedLogo,
): Promise<Buffer | undefined> => {
  const [dataKey, sealed] = [await keys.dataKeys.get(blob), await blobs.get(blob)];
  return dataKey && sealed && openBytes(sealed, dataKey, blob);
};

const statementPlace = 'statement';

/** The statement from behind an entry on, by the position of that. */
const statementFrom = async function* (
  { storage, clock, shared }: Foundation,
  accountId: string,
  after: bigint,
  { isFull, stopped }: Filling,
): AsyncGenerator<Uint8Array> {
  const { openForAccount } = shared.letterReader;
  const ports = { db: storage.readDb, clock, openForAccount };
  for await (const { bytes, next } of wholeStatement(ports, accountId, after)) {
    yield bytes;
    if (next !== undefined && isFull()) return stopped(`${statementPlace} ${next}`);
  }
};

const logosPlace = 'logos';

/** Adds logos behind one, until the part is full. Returns the position where they continue. */
const addLogos = async (
  foundation: Foundation,
  accountId: string,
  after: string,
  { piece, isFull }: Pick<Part, 'piece'> & Pick<Filling, 'isFull'>,
): Promise<string | undefined> => {
  const logos = (await foundation.shared.logos.list(accountId))
    .filter(({ logoId }) => logoId > after)
    .toSorted((a, b) => (a.logoId < b.logoId ? -1 : 1));
  for (const logo of logos) {
    const { add } = await piece(logo.blob);
    const image = await imageOf(foundation, logo);
    const ending = logo.mediaType === 'image/png' ? 'png' : 'jpg';
    if (image) await add(`logos/${logo.logoId}.${ending}`, image, { stored: true });
    if (isFull()) return `${logosPlace} ${logo.logoId}`;
  }
  return undefined;
};

/** Writes the files about the account itself into the archive of an export. */
export const writingAccount =
  (foundation: Foundation): AccountWriter =>
  async ({ piece }, accountId, place, isFull) => {
    const { add } = await piece();
    let rest: string | undefined;
    const stopped = (at: string): void => {
      rest = at;
    };
    if (place === '') await add('account.json', json(await accountFacts(foundation, accountId)));
    let [first = '', behind] = place.split(' ');
    if (place === '' || first === statementPlace) {
      const after = BigInt(behind ?? 0);
      await add('statement.csv', statementFrom(foundation, accountId, after, { isFull, stopped }));
      if (rest !== undefined) return rest;
      [first, behind] = [accountStream(accountId), undefined];
    }
    if (first !== logosPlace) {
      const from: [string, bigint] = [first, BigInt(behind ?? 0)];
      await add('events.ndjson', eventsFrom(foundation, accountId, from, { isFull, stopped }));
      if (rest !== undefined) return rest;
    }
    const after = first === logosPlace ? (behind ?? '') : '';
    return addLogos(foundation, accountId, after, { piece, isFull });
  };
