/** The books as a backup has them: sums and balances, by which a restore is compared. */
import { createHash } from 'node:crypto';
import type { BackupNote, SavedBooks } from '../../infra/backup/note.ts';
import { dollars } from '../../money/amounts.ts';
import { count } from '../command.ts';

/** Anything that asks a database. */
type Asking = { query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> };

type Balance = { account: string; crypto: string; fiat: string; wei: string };

/** `available` of `available:acct_1`, `test:revenue` of itself. */
const kindOf = (account: string): string => /^(test:)?[^:]*/.exec(account)?.[0] ?? account;

/** The event of the last entry of the ledger. Undefined: there is no ledger, or nothing in it. */
const lastEntry = async (db: Asking): Promise<string | undefined> => {
  const there = await db.query(
    `select where to_regclass('read_models.ledger_entries') is not null`,
  );
  if (there.rows.length === 0) return undefined;
  const { rows } = await db.query(
    `select event_id::text as id from read_models.ledger_entries where event_id is not null
     order by position desc limit 1`,
  );
  return (rows as { id: string }[])[0]?.id;
};

/** Up to an event, because read models may be behind the log. Undefined: the ledger does not know the event. */
const booksUpTo = async (db: Asking, lastEventId: string): Promise<SavedBooks | undefined> => {
  const found = await db.query(
    `select e.account, coalesce(sum(e.crypto_micro), 0)::text as crypto,
       coalesce(sum(e.fiat_micro), 0)::text as fiat, coalesce(sum(e.wei), 0)::text as wei
     from read_models.ledger_entries e
     where e.position <= (select max(position) from read_models.ledger_entries where event_id = $1)
     group by e.account order by e.account collate "C"`,
    [lastEventId],
  );
  const balances = found.rows as Balance[];
  if (balances.length === 0) return undefined;
  const hash = createHash('sha256');
  const sums = new Map<string, bigint>();
  for (const { account, crypto, fiat, wei } of balances) {
    hash.update(`${account} ${crypto} ${fiat} ${wei}\n`);
    const kind = kindOf(account);
    sums.set(kind, (sums.get(kind) ?? 0n) + BigInt(crypto) + BigInt(fiat));
  }
  return {
    lastEventId,
    accounts: balances.length,
    sumsMicro: Object.fromEntries([...sums].map(([kind, sum]) => [kind, String(sum)])),
    sha256: hash.digest('hex'),
  };
};

/** In the snapshot of the backup. */
export const savedBooks = async (db: Asking): Promise<SavedBooks | undefined> => {
  const last = await lastEntry(db);
  return last === undefined ? undefined : booksUpTo(db, last);
};

/** `12 accounts, $40.00 available in wallets, $2.00 held` */
export const describeBooks = ({ accounts, sumsMicro }: SavedBooks): string => {
  const { available = '0', held = '0' } = sumsMicro;
  return `${count(accounts)} accounts, ${dollars(BigInt(available))} available in wallets, ${dollars(BigInt(held))} held`;
};

/** How restored books differ from those of the backup, in sentences. Backups of earlier builds have none. */
export const booksDifferences = async (
  db: Asking,
  { books }: Pick<BackupNote, 'books'>,
): Promise<string[]> => {
  if (!books) return [];
  const restored = await booksUpTo(db, books.lastEventId);
  if (!restored) return ['the restored books lack the last entry of the backup'];
  if (restored.sha256 === books.sha256) return [];
  const kinds = new Set([...Object.keys(books.sumsMicro), ...Object.keys(restored.sumsMicro)]);
  const lines = [...kinds].flatMap((kind) => {
    const [was, is] = [books, restored].map(({ sumsMicro }) => BigInt(sumsMicro[kind] ?? 0));
    if (was === undefined || is === undefined || was === is) return [];
    return [`the restored books have ${dollars(is)} ${kind}, the backup ${dollars(was)}`];
  });
  return lines.length > 0
    ? lines
    : ['balances of single accounts differ from the backup, and their sums are equal'];
};
