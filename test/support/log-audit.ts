/**
 * Walks the whole log without the code that wrote it: positions, versions, hash links, and the money of every
 * wallet, which is then compared with the read models.
 */
import { createHash } from 'node:crypto';
import pg from 'pg';

type Row = {
  position: bigint;
  stream: string;
  version: bigint;
  id: string;
  type: string;
  data: string;
  metadata: string;
};

type Data = Record<string, unknown>;

/** One wallet as its events say. Micro-USD. */
type AuditedWallet = {
  available: bigint;
  granted: bigint;
  /** By letter: reserved and neither released nor refunded. */
  held: Map<string, { amount: bigint; attempts: string[]; captured: boolean }>;
  periods: number;
};

type AuditedLetter = {
  accountId: string;
  status: string;
  attemptId: string;
  totalMicro: bigint;
};

export type Audit = {
  events: number;
  wallets: Map<string, AuditedWallet>;
  letters: Map<string, AuditedLetter>;
};

export const withClient = async <T>(
  url: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> => {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
};

const readLog = (url: string): Promise<Row[]> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<Record<keyof Row, string>>(
      'select position, stream, version, id, type, data, metadata from event_log.events order by position',
    );
    return rows.map((row) => ({
      ...row,
      position: BigInt(row.position),
      version: BigInt(row.version),
    }));
  });

const hashOf = (row: Row): string =>
  createHash('sha256')
    .update(`${row.stream}\n${row.version}\n${row.id}\n${row.type}\n${row.data}\n${row.metadata}`)
    .digest('base64url');

/**
 * The first place where the log is broken, if any. A changed event shows at the next one of its stream, and
 * in the newest hash of the stream, which is not stored: the last event of a stream is not covered.
 */
const firstBreak = (rows: Row[]): string | undefined => {
  const streams = new Map<string, { version: bigint; hash: string; position: bigint }>();
  let position = 0n;
  for (const row of rows) {
    position += 1n;
    if (row.position !== position) return `position ${position} is missing`;
    const before = streams.get(row.stream);
    if (row.version !== (before ? before.version + 1n : 0n)) {
      return `position ${position}: version ${row.version} of ${row.stream} is out of order`;
    }
    const { prev } = JSON.parse(row.metadata) as { prev: string };
    if (prev !== (before?.hash ?? '')) {
      return `position ${before?.position ?? position}: its hash is not what position ${position} links to`;
    }
    streams.set(row.stream, { version: row.version, hash: hashOf(row), position });
  }
  return undefined;
};

const microOf = (data: Data): bigint =>
  BigInt(data.cryptoMicro as number) + BigInt(data.fiatMicro as number);

const assertHolds = (condition: boolean, message: string): void => {
  if (!condition) throw new Error(message);
};

/** The purpose of money: in its first version an event named the letter. */
const letterIdIn = (data: Data): string =>
  (data.purpose as { id: string } | undefined)?.id ?? String(data.letterId ?? '');

const carry = (wallet: AuditedWallet, data: Data): void => {
  for (const one of data.reservations as Data[]) {
    const letterId = letterIdIn(one);
    const known = wallet.held.get(letterId);
    assertHolds(known?.amount === microOf(one), `carried ${letterId} is not what was held`);
  }
};

const foldWallet = (wallet: AuditedWallet, row: Row, data: Data): void => {
  const letterId = letterIdIn(data);
  const held = wallet.held.get(letterId);
  switch (row.type) {
    case 'FundsCredited':
      wallet.available += BigInt(data.amountMicro as number);
      wallet.granted += BigInt(data.amountMicro as number);
      break;
    case 'FundsReserved': {
      const attemptId = String(data.attemptId);
      assertHolds(!held?.attempts.includes(attemptId), `attempt ${attemptId} was charged twice`);
      const attempts = [...(held?.attempts ?? []), attemptId];
      const amount = (held?.amount ?? 0n) + microOf(data);
      wallet.held.set(letterId, { amount, attempts, captured: false });
      wallet.available -= microOf(data);
      break;
    }
    case 'FundsReleased':
    case 'FundsRefunded':
      assertHolds(held !== undefined, `${row.type} without a reservation of ${letterId}`);
      if (held) held.amount -= microOf(data);
      wallet.available += microOf(data);
      if (held?.amount === 0n) wallet.held.delete(letterId);
      break;
    case 'FundsCaptured':
      assertHolds(held?.amount === microOf(data), `captured of ${letterId} is not what was held`);
      if (held) held.captured = true;
      break;
    case 'WalletPeriodOpened':
      wallet.periods++;
      assertHolds(
        wallet.available ===
          BigInt(data.availableCryptoMicro as number) + BigInt(data.availableFiatMicro as number),
        `the balance carried into ${row.stream} is not that of the period before`,
      );
      break;
    case 'ReservationsCarriedForward':
      carry(wallet, data);
      break;
    default:
  }
  assertHolds(wallet.available >= 0n, `${row.stream} is overdrawn at version ${row.version}`);
};

const statusAfter: Record<string, string> = {
  LetterCancelled: 'cancelled',
  LetterFailed: 'failed',
  LetterProcessingStarted: 'processing',
  LetterPosted: 'posted',
  LetterInTransit: 'in_transit',
  LetterDelivered: 'delivered',
};

const foldLetter = (letters: Audit['letters'], row: Row, data: Data): void => {
  const letterId = row.stream.slice('letter-'.length);
  const letter = letters.get(letterId);
  if (row.type === 'LetterQueued') {
    assertHolds(letter === undefined, `letter ${letterId} was queued twice`);
    const terms = data.terms as { accountId: string; price: { charge: Record<string, number> } };
    const cents = Object.values(terms.price.charge).reduce((sum, part) => sum + part, 0);
    letters.set(letterId, {
      accountId: terms.accountId,
      status: 'queued',
      attemptId: String(data.attemptId),
      totalMicro: BigInt(cents) * 10_000n,
    });
  }
  const status = statusAfter[row.type];
  if (letter && status) letter.status = status;
};

const over = new Set(['cancelled', 'failed']);

/** Everything that is held belongs to a letter, and every letter that is not over is held once. */
const assertMoney = ({ wallets, letters }: Audit): void => {
  for (const [accountId, wallet] of wallets) {
    let spent = 0n;
    for (const [letterId, { amount }] of wallet.held) {
      const letter = letters.get(letterId);
      assertHolds(letter !== undefined, `money is held for ${letterId}, which is no letter`);
      assertHolds(letter?.totalMicro === amount, `letter ${letterId} is not charged its price`);
      spent += amount;
    }
    assertHolds(
      wallet.available === wallet.granted - spent,
      `the balance of ${accountId} is not what was granted less what was spent`,
    );
  }
  for (const [letterId, { accountId, status, attemptId }] of letters) {
    const held = wallets.get(accountId)?.held.get(letterId);
    assertHolds(
      over.has(status) ? held === undefined : held?.attempts.at(-1) === attemptId,
      `letter ${letterId} is ${status}, but charged ${JSON.stringify(held?.attempts ?? [])}`,
    );
  }
};

/** @throws Error that names the first bad position, or the first wallet or letter that is wrong */
export const auditLog = async (url: string): Promise<Audit> => {
  const rows = await readLog(url);
  const broken = firstBreak(rows);
  if (broken !== undefined) throw new Error(broken);
  const audit: Audit = { events: rows.length, wallets: new Map(), letters: new Map() };
  for (const row of rows) {
    const data = JSON.parse(row.data) as Data;
    if (row.stream.startsWith('letter-')) foldLetter(audit.letters, row, data);
    if (!row.stream.startsWith('wallet-')) continue;
    const accountId = row.stream.slice('wallet-'.length, row.stream.lastIndexOf('-'));
    const wallet = audit.wallets.get(accountId) ?? {
      available: 0n,
      granted: 0n,
      held: new Map(),
      periods: 1,
    };
    audit.wallets.set(accountId, wallet);
    foldWallet(wallet, row, data);
  }
  return audit;
};

/** @throws as `auditLog`, and when money is held for no letter or a letter is not charged once */
export const auditMoney = async (url: string): Promise<Audit> => {
  const audit = await auditLog(url);
  assertMoney(audit);
  return audit;
};
