/** Erases again what was erased after the backup, as the journals say. Safe to repeat. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { accountAggregate } from '../../commands/accounts/account.ts';
import { finishErasure } from '../../commands/letters/follow-up.ts';
import { eraseLetter, type Letter, letterAggregate } from '../../commands/letters/letter.ts';
import { deleteLogoOf, logoBookAggregate } from '../../commands/logos/logo-book.ts';
import { logoBlobPrefix } from '../../commands/logos/logos.ts';
import { isAppError } from '../../contract/errors.ts';
import { accountStream } from '../../events/account.ts';
import type { LetterErasure } from '../../events/data-keys.ts';
import { decodeEvent } from '../../events/envelope.ts';
import { isLetterStream, letterStream } from '../../events/letter.ts';
import { clocksDifferMs, toTimestamp } from '../../ground/clock.ts';
import { readContent } from '../../infra/backup/hashed-file.ts';
import { completeBackups, readNote } from '../../infra/backup/note.ts';
import { exportPrefix } from '../../infra/exports/export-store.ts';
import {
  appendErasures,
  type Erasure,
  erasuresIn,
  readJournal,
  readJournals,
} from '../../infra/keys/erasure-journal.ts';
import type { Foundation } from '../../service/foundation/wing.ts';
import { operatorContext } from '../../service/operating/account-actions.ts';
import { closuresOf } from '../../service/wings/closures.ts';
import { exportStoreOf } from '../../service/wings/export-jobs.ts';
import { count, type Print } from '../command.ts';

/** The journal of the newest backup in a folder, as lines. */
export const savedJournal = async (root: string): Promise<string> => {
  const last = (await completeBackups(root)).at(-1);
  const note = last === undefined ? undefined : await readNote(join(root, last));
  if (last === undefined || !note) return '';
  let text = '';
  await readContent(join(root, last, note.erasures.file), async (source) => {
    for await (const chunk of source) text += chunk;
  });
  return text;
};

/**
 * A subject may have several lines: its erasure began, its key was erased, and after it was made again it was erased
 * again.
 */
const identityOf = ({ at, subject, begun }: Erasure): string =>
  `${at} ${begun === true} ${subject}`;

/** Adds to a journal what another one has beyond it. */
export const mergeJournal = async (path: string, other: string): Promise<void> => {
  const known = new Set(erasuresIn(await readJournal(path)).map(identityOf));
  const more = erasuresIn(other).filter((erasure) => !known.has(identityOf(erasure)));
  if (more.length > 0) await appendErasures(path, more);
};

const subjectsAtOnce = 1_000;

/**
 * `isOver`: the key itself was erased. Otherwise an erasure of several rounds had only begun. `reason`: of a letter; its
 * sender may delete a letter after its time was over. Without one it is not known whether its sender deleted it.
 */
type Returned = { subject: string; isOver: boolean; reason: LetterErasure };

type KeyRow = { subject: string; isThere: boolean; madeAt: Date };

const keyRowsOf = async (
  { readDb }: Foundation['storage'],
  subjects: readonly string[],
): Promise<Map<string, KeyRow>> => {
  const found = new Map<string, KeyRow>();
  for (let at = 0; at < subjects.length; at += subjectsAtOnce) {
    const { rows } = await readDb.query<KeyRow>(
      `select subject, wrapped is not null as "isThere", made_at as "madeAt"
       from keys.data_keys where subject = any($1)`,
      [subjects.slice(at, at + subjectsAtOnce)],
    );
    for (const row of rows) found.set(row.subject, row);
  }
  return found;
};

/** Whether an erasure is not before a time that another machine wrote. */
const isSince = (at: string, since: string | undefined): boolean =>
  since !== undefined && Date.parse(at) + clocksDifferMs >= Date.parse(since);

/** Whether the key of a subject was made after an erasure. That erasure was then of an earlier subject with this name. */
const isOfEarlier = (row: KeyRow | undefined, at: string): boolean =>
  row?.isThere === true && row.madeAt.getTime() > Date.parse(at) + clocksDifferMs;

/**
 * Subjects in the journal whose keys are there again. A log that was saved before its database may lack the event of
 * an erasure whose key is gone already: erasures from `since` on are repeated, too. Ids of letters and accounts are
 * derived, so a subject that the restored log does not know may come into being again. A key that was made after the
 * erasure stays.
 */
const returned = async (
  { storage }: Pick<Foundation, 'storage'>,
  journals: readonly string[],
  since: string | undefined,
): Promise<Returned[]> => {
  const erasures = erasuresIn(await readJournals(journals));
  const subjects = new Set(erasures.map(({ subject }) => subject));
  const rows = await keyRowsOf(storage, [...subjects]);
  const found = new Map<string, Returned & { isLate: boolean }>();
  for (const { subject, at, begun, reason } of erasures) {
    if (isOfEarlier(rows.get(subject), at)) continue;
    const before = found.get(subject);
    found.set(subject, {
      subject,
      isLate: before?.isLate === true || isSince(at, since),
      isOver: before?.isOver === true || begun !== true,
      reason: before?.reason === 'deleted' || reason === 'deleted' ? 'deleted' : 'retention',
    });
  }
  return [...found.values()].filter(({ subject, isLate }) => isLate || rows.get(subject)?.isThere);
};

/**
 * A letter that its sender deleted after more had happened to it is erased as if its time was over. A key is made before
 * the letter, which the restored log may not know. @throws AppError while it is under way
 */
const eraseFor = (reason: LetterErasure) => (letter: Letter) => {
  if (letter.status === 'none') return [];
  try {
    return eraseLetter(letter, { type: 'EraseLetter', reason });
  } catch (error) {
    if (!isAppError(error) || reason === 'retention') throw error;
    return eraseLetter(letter, { type: 'EraseLetter', reason: 'retention' });
  }
};

/** False: the letter is under way as far as the restored log knows. */
const eraseAgain = async (
  { commands, keys }: Pick<Foundation, 'commands' | 'keys'>,
  letterId: string,
  reason: LetterErasure,
): Promise<boolean> => {
  const { handler, files } = commands;
  const context = { commandId: randomUUID(), actor: 'operator' };
  try {
    await handler.handle(letterAggregate, letterId, context, eraseFor(reason));
  } catch (error) {
    if (isAppError(error) && error.code === 'letter_not_deletable') return false;
    throw error;
  }
  await finishErasure({ handler, dataKeys: keys.dataKeys, files }, letterId);
  const { state } = await handler.load(letterAggregate, letterId);
  if (state.status === 'none') await keys.dataKeys.remove(letterStream(letterId));
  return true;
};

/** A subject that the restored log does not know may come into being again, and then needs a key. */
const forgetKey = async (
  { keys: { dataKeys }, storage: { store } }: Pick<Foundation, 'keys' | 'storage'>,
  subject: string,
): Promise<void> => {
  const known = await store.readStream(subject, { limit: 1 });
  await (known.length > 0 ? dataKeys.erase(subject) : dataKeys.remove(subject));
};

/** The image of a logo, which its account may have in the restored log. */
const eraseImage = async (
  { commands, keys, storage }: Pick<Foundation, 'commands' | 'keys' | 'storage'>,
  blob: string,
): Promise<void> => {
  const accountId = await storage.storedBytes.ownerOf(blob);
  if (accountId !== undefined) {
    await commands.handler.handle(logoBookAggregate, accountId, operatorContext(), (book) =>
      deleteLogoOf(book, { accountId, blob }),
    );
  }
  await keys.dataKeys.erase(blob);
};

const accountPrefix = accountStream('');

/**
 * Closes an account again that the restored log still knows. When it was closed, nothing stood in the way: what its
 * wallet has in the restored log was spent, paid out or given up since. The running service takes that out, keeps the
 * books and destroys the account's key, once letters that are under way in the restored log are decided about.
 * False: there is no such account, or only its key is left and the journal has that as erased, too.
 */
const closeAgain = async (
  foundation: Pick<Foundation, 'commands' | 'authority' | 'clock'>,
  accountId: string,
  isOver: boolean,
): Promise<boolean> => {
  const { state } = await foundation.commands.handler.load(accountAggregate, accountId);
  if (state.status !== 'open') {
    const { closure } = state;
    // Without the line of its key, the certificate may not have been mailed.
    return closure?.begunAt !== undefined && (closure.erasedAt === undefined || !isOver);
  }
  const context = operatorContext();
  const wanted = {
    closureId: context.commandId,
    erasesAt: toTimestamp(foundation.clock()),
    forfeitsBalance: true,
    requestHash: context.commandId,
  };
  await closuresOf(foundation).request(accountId, wanted, context);
  return true;
};

type Replayed = {
  /** How many were erased again. */
  erased: number;
  /** Letters for which a person decides first: they are under way in the restored log. */
  underWay: string[];
  /** Accounts that the running service erases. */
  closing: string[];
};

type Needed = Pick<Foundation, 'storage' | 'commands' | 'keys' | 'authority' | 'clock'>;

/** First events of subjects whose keys have a time of their own, which may be over before the account is erased. */
const endingByThemselves = new Set<string>(['BooksKept', 'UcanRequested']);

/**
 * Whether a subject, such as a top-up, belongs to an account that is closed again. The running service erases it with the
 * account. Until then matters of the account may still need its key, and `verify` expects it.
 */
const goesWithAccount = async (
  { storage: { store } }: Pick<Foundation, 'storage'>,
  subject: string,
  closing: readonly string[],
): Promise<boolean> => {
  const [first] = closing.length > 0 ? await store.readStream(subject, { limit: 1 }) : [];
  if (first === undefined) return false;
  const { type, data } = decodeEvent(first);
  if (endingByThemselves.has(type)) return false;
  return 'accountId' in data && closing.includes(String(data.accountId));
};

export const replayErasures = async (
  foundation: Needed,
  journals: readonly string[],
  since?: string,
): Promise<Replayed> => {
  const [underWay, closing]: [string[], string[]] = [[], []];
  const subjects = await returned(foundation, journals, since);
  const [ofAccounts, others] = [true, false].map((isAccount) =>
    subjects.filter(({ subject }) => subject.startsWith(accountPrefix) === isAccount),
  ) as [Returned[], Returned[]];
  let erased = 0;
  for (const { subject, isOver } of ofAccounts) {
    const accountId = subject.slice(accountPrefix.length);
    if (await closeAgain(foundation, accountId, isOver)) closing.push(accountId);
    else {
      await forgetKey(foundation, subject);
      erased++;
    }
  }
  for (const { subject, reason } of others) {
    if (isLetterStream(subject)) {
      const letterId = subject.slice(letterStream('').length);
      if (!(await eraseAgain(foundation, letterId, reason))) {
        underWay.push(letterId);
        continue;
      }
    } else if (subject.startsWith(logoBlobPrefix)) await eraseImage(foundation, subject);
    else if (subject.startsWith(exportPrefix)) await exportStoreOf(foundation).eraseAgain(subject);
    else if (await goesWithAccount(foundation, subject, closing)) continue;
    else await forgetKey(foundation, subject);
    erased++;
  }
  return { erased, underWay, closing };
};

export const printReplayed = (
  { erased: repeated, underWay, closing }: Replayed,
  print: Print,
): void => {
  print(`erasures: ${count(repeated)} were repeated`);
  for (const letterId of underWay) {
    print(`  letter ${letterId} is under way, so it was not erased (docs/backup.md)`);
  }
  for (const accountId of closing) {
    print(`  account ${accountId} is closed again; the running service erases it`);
  }
};
