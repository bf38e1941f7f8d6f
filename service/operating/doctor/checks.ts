/** The list of checks, in the order of their lines. Each check stands next to the part that it looks at. */
import { dirname } from 'node:path';
import { chargeCurrencies } from '../../../contract/charge-currency.ts';
import { decodeEvent } from '../../../events/envelope.ts';
import {
  type ServiceIdentity,
  type ServiceIdentityEvent,
  serviceIdentityStream,
} from '../../../events/service-identity.ts';
import { type Check, ok, warn } from '../../../ground/check.ts';
import type { Clock } from '../../../ground/clock.ts';
import { dayMs, dayOf } from '../../../ground/day.ts';
import { checkBlobs } from '../../../infra/blobs/check-blobs.ts';
import { judgeClock } from '../../../infra/host/check-clock.ts';
import { checkDisk } from '../../../infra/host/check-disk.ts';
import { memoryCheck } from '../../../infra/host/check-memory.ts';
import { checkKafka } from '../../../infra/kafka/check-kafka.ts';
import { findMasterKey, findSigningKeys } from '../../../infra/keys/check-keys.ts';
import { checkMail } from '../../../infra/mail/check-mail.ts';
import { checkStripe } from '../../../infra/payments/card/check-stripe.ts';
import { checkLnd } from '../../../infra/payments/lightning/check-lnd.ts';
import { checkChain } from '../../../infra/payments/x402/check-chain.ts';
import { checkFacilitator } from '../../../infra/payments/x402/check-facilitator.ts';
import {
  databaseFacts,
  judgeDatabase,
  judgeReadModels,
  judgeSchema,
} from '../../../infra/postgres/check-database.ts';
import { checkRun, commandRuns, recordedCommands } from '../../../infra/postgres/command-runs.ts';
import { checkHotfolder, checkHttpPartner } from '../../../infra/print/check-print.ts';
import { schemaFiles } from '../../../infra/schema/migrate.ts';
import { currencyOf, exchangeRate, rateCurrencies } from '../../../postal/exchange-rates.ts';
import { countriesOf } from '../../../postal/services.ts';
import type { Config } from '../../config/config.ts';
import { logNameOf, openBlobs } from '../../foundation/storage.ts';
import { printFolders } from '../../wings/print-partners.ts';
import { projectionsOf, wings } from '../../wings/wings.ts';
import type { Session } from './session.ts';

/** An embedded server may have to recover after a crash. */
const startLimitMs = 60_000;
/** Connections at most of a process with all roles (docs/operations.md). */
const connectionsOf = ({ databaseConnections: reads }: Config): number =>
  reads + Math.ceil(reads / 4) + Math.ceil(reads / 2) + 11;

const startDatabase = 'start the database, or set DATABASE_URL or DATA_DIR as the service has them';

const databaseChecks = (config: Config, session: Session, clock: Clock): Check[] => [
  {
    name: 'database',
    timeLimitMs: startLimitMs,
    remedy: startDatabase,
    async run() {
      const facts = await databaseFacts(await session.client());
      return judgeDatabase(facts, connectionsOf(config));
    },
  },
  {
    name: 'tables',
    remedy: 'start the service once; it makes its tables',
    async run() {
      const client = await session.client();
      const { rows } = await client.query<{ number: number }>(
        'select number from migrations.applied',
      );
      const applied = rows.map(({ number }) => number);
      const schema = judgeSchema(applied, schemaFiles());
      if (schema.state !== 'ok') return schema;
      const filled = await client.query<{ name: string; version: number }>(
        'select name, version from read_models.projections',
      );
      return judgeReadModels(filled.rows, projectionsOf(wings)) ?? schema;
    },
  },
  {
    name: 'clock',
    remedy: startDatabase,
    async run() {
      const client = await session.client();
      const askedMs = performance.now();
      const { rows } = await client.query<{ now: Date; written: Date | null }>(
        'select clock_timestamp() as now, (select max(at) from identity.checkpoints) as written',
      );
      return judgeClock({
        hereMs: clock(),
        databaseMs: rows[0]?.now.getTime() ?? 0,
        tookMs: performance.now() - askedMs,
        lastWrittenMs: rows[0]?.written?.getTime(),
      });
    },
  },
];

/** The identity as the last event of its stream has it. */
const identityIn = async (session: Session): Promise<ServiceIdentity | undefined> => {
  const store = await session.store();
  const last = (await store.readStream(serviceIdentityStream)).at(-1);
  return last && (decodeEvent(last).data as ServiceIdentityEvent['data']);
};

const storeChecks = (config: Config, session: Session): Check[] => [
  {
    name: 'log',
    remedy: 'start the store of the log, or correct EVENTSTORE_URL',
    async run() {
      return ok(`${logNameOf(config)}, head at ${await (await session.store()).head()}`);
    },
  },
  {
    name: 'master key',
    remedy: 'restore the master key from your backup',
    run: async () => findMasterKey(config, await session.client()),
  },
  {
    name: 'signing keys',
    remedy: 'see the lines above',
    run: async () => findSigningKeys(config, await session.client(), await identityIn(session)),
  },
];

const printCheck = (config: Config): Check => {
  const { partner, httpUrl } = config.print;
  if (partner === 'http') return checkHttpPartner(httpUrl ?? '');
  return checkHotfolder(printFolders(config).outbox);
};

const settingsCheck = ({ unused }: Config): Check => ({
  name: 'settings',
  remedy: '',
  async run() {
    if (unused.length === 0) return ok('each setting is used');
    return warn(unused.join('; '), 'set the choice that uses it, or remove the setting');
  },
});

/** CHOICE: a rate moves by a few percent in a quarter, about as much as the commission earns. */
const agedDays = 90;

/** The currencies in which letters are posted, and in which cards are charged. */
const currenciesIn = ({ prices, stripe }: Config) => {
  const posted = new Set(countriesOf(prices.services).map(currencyOf));
  return rateCurrencies.filter(
    (one) => posted.has(one) || (stripe && chargeCurrencies.some((charged) => charged === one)),
  );
};

const ratesCheck = (config: Config, clock: Clock): Check => ({
  name: 'exchange rates',
  remedy: '',
  async run() {
    const { prices } = config;
    const today = dayOf(clock());
    const rates = currenciesIn(config).map((currency) => {
      const { at } = exchangeRate(currency, today, prices.exchangeRates);
      return { currency, at, days: (Date.parse(today) - Date.parse(at)) / dayMs };
    });
    const found = rates.map(({ currency, at }) => `${currency} of ${at}`).join(', ');
    if (rates.length === 0) return ok('not needed: letters are posted in USD');
    return rates.every(({ days }) => days <= agedDays)
      ? ok(found)
      : warn(found, 'set the rates of today in the file of PRICE_LIST (docs/money.md)');
  },
});

const outsideChecks = (config: Config): Check[] => [
  checkBlobs(config.s3?.bucket, () => openBlobs(config)),
  checkMail(config.mail),
  printCheck(config),
  checkChain({
    name: 'chain',
    setting: 'X402_RPC_URL',
    url: config.x402?.rpcUrl,
    chainId: config.x402?.network.chainId,
  }),
  checkFacilitator(config.x402),
  checkChain({
    name: 'mech chain',
    setting: 'MECH_RPC_URL',
    url: config.mech.rpcUrl,
    chainId: config.mech.chainId,
  }),
  checkStripe(config.stripe),
  checkLnd(config.lnd),
  checkKafka(config.kafka),
];

/** A journal in `DATA_DIR` needs no check of its own. */
const journalChecks = ({ erasureJournal }: Config): Check[] =>
  erasureJournal === undefined ? [] : [checkDisk('erasure journal', dirname(erasureJournal))];

/** Checks that use the database come first: the first of them waits until it is up. */
export const checksOf = (
  config: Config,
  session: Session,
  clock: Clock,
): { inTurn: Check[]; together: Check[] } => ({
  inTurn: [
    settingsCheck(config),
    ratesCheck(config, clock),
    memoryCheck,
    checkDisk('disk', config.dataDir),
    ...journalChecks(config),
    ...databaseChecks(config, session, clock),
    ...storeChecks(config, session),
    ...recordedCommands.map((command) =>
      checkRun(command, async () => commandRuns(await session.client()), clock),
    ),
  ],
  together: outsideChecks(config),
});
