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
import type { AccountWriter } from '../../reactors/make-export.ts';
import { readStatement } from '../../read-api/statement.ts';
import type { Site } from '../foundation/wing.ts';

const streamsAtOnce = 500;

export const eventPortsOf = ({ storage, keys }: Site): EventPorts => ({
  store: storage.store,
  credentials: storage.credentials,
  dataKeys: keys.dataKeys,
});

export const json = (value: unknown): string => `${JSON.stringify(value, null, 1)}\n`;

/** Settings and keys without their secrets. */
const accountFacts = async (site: Site, accountId: string): Promise<object> => {
  const { state } = await site.commands.handler.load(accountAggregate, accountId);
  if (state.status !== 'open') throw new AppError('account_not_found', 'The account was erased.');
  const { kind, name, test, confirmedAt, settings, did, language } = state;
  const keys = activeKeys(state, toTimestamp(site.clock()));
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
  { storage: { store, readDb } }: Site,
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

/** Lines from a position on, until the archive is full; `stopped` gets the position where they continue. */
const eventsFrom = async function* (
  site: Site,
  accountId: string,
  [first, version]: [stream: string, version: bigint],
  { isFull, stopped }: { isFull: () => boolean; stopped: (place: string) => void },
): AsyncGenerator<string> {
  const ports = eventPortsOf(site);
  for await (const stream of streamsFrom(site, accountId, first)) {
    for await (const { lines, next } of linesOf(ports, stream, stream === first ? version : 0n)) {
      yield lines;
      if (isFull()) return stopped(`${stream} ${next}`);
    }
  }
};

/** Reads the blob directly, because `logos` would count this as a use. Undefined: the logo was deleted. */
const imageOf = async (
  { storage: { blobs }, keys }: Site,
  { blob }: UploadedLogo,
): Promise<Buffer | undefined> => {
  const [dataKey, sealed] = [await keys.dataKeys.get(blob), await blobs.get(blob)];
  return dataKey && sealed && openBytes(sealed, dataKey, blob);
};

const logosPlace = 'logos';

/** Writes the files about the account itself into the archive of an export. */
export const writingAccount = (site: Site): AccountWriter => {
  const { storage, clock, config, shared } = site;
  const { openForAccount } = shared.letterReader;
  const ports = { db: storage.readDb, clock, limits: config.limits, openForAccount };
  return async (archive, accountId, place, isFull) => {
    const files: string[] = [];
    const add: typeof archive.add = (file, ...content) => {
      files.push(file);
      return archive.add(file, ...content);
    };
    if (place === '') {
      await add('account.json', json(await accountFacts(site, accountId)));
      await add('statement.csv', await readStatement(ports, accountId, {}));
    }
    const [first, behind] = place === '' ? [accountStream(accountId)] : place.split(' ');
    if (first !== logosPlace) {
      let rest: string | undefined;
      const stopped = (at: string): void => {
        rest = at;
      };
      const from: [string, bigint] = [first ?? '', BigInt(behind ?? 0)];
      await add('events.ndjson', eventsFrom(site, accountId, from, { isFull, stopped }));
      if (rest !== undefined) return { files, rest };
    }
    const after = first === logosPlace ? (behind ?? '') : '';
    const logos = (await shared.logos.list(accountId))
      .filter(({ logoId }) => logoId > after)
      .toSorted((a, b) => (a.logoId < b.logoId ? -1 : 1));
    for (const logo of logos) {
      const image = await imageOf(site, logo);
      const ending = logo.mediaType === 'image/png' ? 'png' : 'jpg';
      if (image) await add(`logos/${logo.logoId}.${ending}`, image, { stored: true });
      if (isFull()) return { files, rest: `${logosPlace} ${logo.logoId}` };
    }
    return { files, rest: undefined };
  };
};
