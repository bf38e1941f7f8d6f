/**
 * Erases accounts whose time has come. One round does the due steps of each. Every step is safe to repeat, in
 * any process, so a crash only delays the rest.
 */

import { randomUUID } from 'node:crypto';
import { type Account, accountAggregate, type Closure } from '../commands/accounts/account.ts';
import type { Blocker } from '../commands/accounts/blockers.ts';
import { booksAggregate, booksId, keepBooks } from '../commands/accounts/books.ts';
import { beginErasure, completeErasure } from '../commands/accounts/close-account.ts';
import type { CommandHandler } from '../commands/handling/handle.ts';
import { finishErasure } from '../commands/letters/follow-up.ts';
import { eraseLetter, letterAggregate } from '../commands/letters/letter.ts';
import type { Logos } from '../commands/logos/logos.ts';
import type { LetterFiles } from '../commands/preparation/letter-files.ts';
import { emptyWallet } from '../commands/wallets/empty-wallet.ts';
import { walletAggregate } from '../commands/wallets/wallet.ts';
import { isAppError } from '../contract/errors.ts';
import { accountStream } from '../events/account.ts';
import type { DataKeys } from '../events/data-keys.ts';
import { type BoundedMap, createBoundedMap } from '../ground/bounded-map.ts';
import { type Clock, toTimestamp } from '../ground/clock.ts';
import { dayMs } from '../ground/day.ts';
import { numberOf } from '../ground/plural.ts';
import { sum } from '../money/buckets.ts';

/** Data of an account besides its streams. */
type AccountData = {
  lettersLeft(accountId: string, limit: number): Promise<string[]>;
  subjectsLeft(accountId: string, limit: number): Promise<string[]>;
  /** Removes rows and files that name the account and that no event makes. */
  removeRows(accountId: string): Promise<void>;
  counts(accountId: string): Promise<{ letters: number; ucans: number; payments: number }>;
  /** For each year in which money moved: the references of credits, opened. */
  books(
    accountId: string,
  ): Promise<{ year: number; references: { eventId: string; reference: string }[] }[]>;
  /** Whether the account's own data key is still there. */
  isKeyThere(accountId: string): Promise<boolean>;
};

export type ErasePorts = {
  handler: CommandHandler;
  clock: Clock;
  dataKeys: DataKeys;
  files: LetterFiles;
  logos: Pick<Logos, 'list' | 'delete'>;
  data: AccountData;
  /** In the order of their ids, behind `after`. */
  due(after: string, limit: number): Promise<string[]>;
  /** Read when read models have caught up; undefined: they have not. */
  blockersOf(account: Account): Promise<Blocker[] | undefined>;
  /** Whether read models have caught up with the log. */
  isUpToDate(): Promise<boolean>;
  /** Records outside the database that the erasure of an account is under way. Durable when it resolves. */
  noteBegun(accountId: string): Promise<void>;
  /** Mails the certificate. Whether nothing more is to be done about it. */
  certify(account: Account): Promise<boolean>;
  stopping: AbortSignal;
};

type Noted = BoundedMap<string, true>;

const accountsOfPage = 100;
/** Each query has to read past everything that is already erased, so it fetches many at once. */
const mostFound = 10_000;
const batch = 200;
/** A mail that is not taken by then is given up, and the address goes. */
const certificateWithinMs = 3 * dayMs;

const context = () => ({ commandId: randomUUID(), actor: 'reactor:erase-accounts' });

const forfeited = 'Given up when the account was closed';

const givesUpBalance = ({ closure, test }: Account): boolean =>
  test || (closure?.forfeitsBalance ?? false);

const emptying = ({ closure }: Account) => ({
  type: 'EmptyWallet' as const,
  closureId: closure?.closureId ?? '',
  reason: forfeited,
});

/** Whether the wallet will be empty. Money without a credit is left to the operator. */
const canBeEmptied = async ({ handler }: ErasePorts, account: Account): Promise<boolean> => {
  const { state } = await handler.load(walletAggregate, account.accountId);
  const after = emptyWallet(state, emptying(account)).reduce(
    (wallet, event) => walletAggregate.evolve(wallet, event, ''),
    state,
  );
  return sum(after.available) === 0n;
};

const isSameClosure = (one: Closure | undefined, other: Closure): boolean =>
  one?.closureId === other.closureId && one.forfeitsBalance === other.forfeitsBalance;

/** Begins unless there are blockers, or the closure was taken back or changed since it was read. */
const begin = async (ports: ErasePorts, account: Account): Promise<void> => {
  const { accountId, closure, test } = account;
  const at = toTimestamp(ports.clock());
  if (closure === undefined || closure.erasesAt > at) return;
  const blockers = await ports.blockersOf(account);
  if (blockers === undefined || blockers.length > 0) return;
  if (closure.forfeitsBalance && !test && !(await canBeEmptied(ports, account))) return;
  await ports.handler.handle(accountAggregate, accountId, context(), (state) =>
    isSameClosure(state.closure, closure) ? beginErasure(state, at) : [],
  );
};

/** Takes the balance that was given up, once the closure cannot be taken back any more. */
const takeBalance = async ({ handler }: ErasePorts, account: Account): Promise<void> => {
  if (!givesUpBalance(account)) return;
  await handler.handle(walletAggregate, account.accountId, context(), (wallet) =>
    emptyWallet(wallet, emptying(account)),
  );
};

/** False: the letter is under way. */
const eraseOne = async (ports: ErasePorts, letterId: string): Promise<boolean> => {
  try {
    await ports.handler.handle(letterAggregate, letterId, context(), (letter) =>
      eraseLetter(letter, { type: 'EraseLetter', reason: 'retention' }),
    );
  } catch (error) {
    if (isAppError(error) && error.code === 'letter_not_deletable') return false;
    throw error;
  }
  await finishErasure(ports, letterId);
  return true;
};

/** True: nothing is left of what read models know. */
const eraseLetters = async (ports: ErasePorts, accountId: string): Promise<boolean> => {
  for (;;) {
    if (ports.stopping.aborted) return false;
    const letterIds = await ports.data.lettersLeft(accountId, mostFound);
    if (letterIds.length === 0) return true;
    let someErased = false;
    for (let n = 0; n < letterIds.length && !ports.stopping.aborted; n += batch) {
      const ids = letterIds.slice(n, n + batch);
      const erased = await Promise.all(ids.map((letterId) => eraseOne(ports, letterId)));
      someErased ||= erased.includes(true);
    }
    if (!someErased) return false;
  }
};

const eraseSubjects = async (ports: ErasePorts, accountId: string): Promise<boolean> => {
  for (;;) {
    if (ports.stopping.aborted) return false;
    const subjects = await ports.data.subjectsLeft(accountId, mostFound);
    if (subjects.length === 0) return true;
    for (const subject of subjects) {
      if (ports.stopping.aborted) return false;
      await ports.dataKeys.erase(subject);
    }
  }
};

const eraseLogos = async (ports: ErasePorts, accountId: string): Promise<void> => {
  for (const { logoId } of await ports.logos.list(accountId)) {
    await ports.logos.delete(accountId, logoId, context());
  }
};

/** Everything but the account's own data key. True: nothing is left. */
const eraseData = async (ports: ErasePorts, accountId: string): Promise<boolean> => {
  if (!(await ports.isUpToDate())) return false;
  const letters = await eraseLetters(ports, accountId);
  await eraseLogos(ports, accountId);
  const subjects = await eraseSubjects(ports, accountId);
  await ports.data.removeRows(accountId);
  return letters && subjects;
};

/** Test money needs no books. The name is that of before the erasure began. */
const keepBooksOf = async (ports: ErasePorts, account: Account): Promise<number[]> => {
  const { accountId, test, closure } = account;
  if (test) return [];
  const years = await ports.data.books(accountId);
  for (const { year, references } of years) {
    const kept = {
      data: { accountId, year },
      personal: { name: closure?.name ?? '', references },
    };
    await ports.handler.handle(booksAggregate, booksId(accountId, year), context(), (state) =>
      keepBooks(state, kept),
    );
  }
  return years.map(({ year }) => year);
};

const complete = async (ports: ErasePorts, account: Account): Promise<void> => {
  const { accountId } = account;
  const booksOf = await keepBooksOf(ports, account);
  const erased = { ...(await ports.data.counts(accountId)), booksOf };
  await ports.handler.handle(accountAggregate, accountId, context(), (state) =>
    completeErasure(state, erased),
  );
};

/** The address goes with the account's data key, once the certificate was mailed to it. */
const finish = async (ports: ErasePorts, account: Account, erasedAt: string): Promise<void> => {
  const { accountId } = account;
  if (!(await ports.data.isKeyThere(accountId))) return;
  const isLate = ports.clock() - Date.parse(erasedAt) > certificateWithinMs;
  if (!isLate && !(await ports.certify(account))) return;
  await ports.dataKeys.erase(accountStream(accountId));
};

/** Accounts under erasure that this process knows to be in the journal. */
const notedAccounts = 10_000;

const step = async (ports: ErasePorts, noted: Noted, accountId: string): Promise<void> => {
  const load = async () => (await ports.handler.load(accountAggregate, accountId)).state;
  let account = await load();
  if (account.status === 'open') {
    await begin(ports, account);
    account = await load();
  }
  const { closure } = account;
  if (closure?.begunAt === undefined) return;
  // An older backup has neither the request nor the beginning, so the journal knows of it before anything is erased.
  if (closure.erasedAt === undefined && !noted.has(accountId)) {
    await ports.noteBegun(accountId);
    noted.set(accountId, true);
  }
  if (closure.erasedAt === undefined) await takeBalance(ports, account);
  const isDone = await eraseData(ports, accountId);
  if (closure.erasedAt !== undefined) await finish(ports, account, closure.erasedAt);
  else if (isDone) await complete(ports, account);
};

/** An account that fails is tried again with the next round, and delays no other. */
export const createEraseAccounts = (ports: ErasePorts) => {
  const noted: Noted = createBoundedMap(notedAccounts);
  let failing = 0;
  return {
    /** The failure that /health shows; undefined while nothing fails. */
    failure: (): string | undefined =>
      failing === 0
        ? undefined
        : `${numberOf(failing, 'account')} cannot be erased; the log of the service says why`,

    /** How many accounts could not be erased in the last round. */
    failing: (): number => failing,

    /** One round. */
    async work(): Promise<void> {
      const failures: unknown[] = [];
      let due = await ports.due('', accountsOfPage);
      while (due.length > 0) {
        for (const accountId of due) {
          if (ports.stopping.aborted) return;
          await step(ports, noted, accountId).catch((error: unknown) => failures.push(error));
        }
        due = await ports.due(due.at(-1) ?? '', accountsOfPage);
      }
      failing = failures.length;
      if (failing > 0) throw failures[0];
    },
  };
};
