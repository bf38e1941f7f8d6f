/** The end of accounts: closed, erased when their time has come, certified. */

import { blockersOf } from '../../commands/accounts/blockers.ts';
import { closureCodePeriod } from '../../commands/accounts/closure-codes.ts';
import { createClosures } from '../../commands/accounts/closures.ts';
import { createFreezes } from '../../commands/guards/freezes.ts';
import { mailAggregate } from '../../commands/mails/mail.ts';
import { walletAggregate } from '../../commands/wallets/wallet.ts';
import { accountStream } from '../../events/account.ts';
import { toTimestamp } from '../../ground/clock.ts';
import { dayMs } from '../../ground/day.ts';
import {
  booksWithKeys,
  countsOf,
  isKeyThere,
  lettersLeft,
  removeRows,
  subjectsLeft,
} from '../../infra/accounts/account-data.ts';
import { booksOf } from '../../infra/accounts/books-of.ts';
import { openMattersOf } from '../../infra/accounts/open-matters.ts';
import { closureById, closuresDue } from '../../projections/accounts/query.ts';
import { certificateMailId, closureCodeMailId } from '../../reactors/closure-mails.ts';
import { createEndBooks } from '../../reactors/end-books.ts';
import { createEraseAccounts, type ErasePorts } from '../../reactors/erase-accounts.ts';
import { createFollowClosures } from '../../reactors/follow-closures.ts';
import { erasureOperation } from '../../read-api/erasure.ts';
import { closureOperations } from '../../write-api/close-account.ts';
import type { Foundation, Reacting, Site, Wing } from '../foundation/wing.ts';
import { certificateOf, closureCodesOf } from './closure-mails.ts';
import { exportStoreOf } from './export-jobs.ts';
import { enqueueMailsIn } from './mail-jobs.ts';
import { keepLimitsOf } from './policies.ts';

/** Closes accounts, for the API and for the operator. */
export const closuresOf = ({
  commands: { handler },
  authority: { frozen },
}: Pick<Foundation, 'commands' | 'authority'>) =>
  createClosures({ handler, freezes: createFreezes({ handler, changed: frozen.change }) });

/** Current blockers of the erasure of an account. */
export const blockersIn =
  ({ commands: { handler }, storage: { readDb }, clock }: Foundation) =>
  async (accountId: string, how: { forfeitsBalance: boolean }) => {
    const open = await openMattersOf(readDb, accountId, clock());
    const { state: wallet } = await handler.load(walletAggregate, accountId);
    return blockersOf(open, wallet, how);
  };

/** The read models that know the parts of an account. */
const readModels = [
  ...['accounts', 'approvals', 'contracts', 'ledger', 'letters', 'mech-requests', 'payments'],
  ...['top-ups', 'ucans'],
];

/** Whether nothing more is to be done about the mail with the certificate. */
const certifying =
  (site: Site): ErasePorts['certify'] =>
  async ({ accountId, closure }) => {
    if (!site.config.mail || closure?.address === undefined) return true;
    const mailId = certificateMailId(accountId);
    const { state } = await site.commands.handler.load(mailAggregate, mailId);
    if (state.status === 'sent' || state.status === 'over') return true;
    const job = { kind: 'account_erased' as const, accountId };
    if (state.status === 'none') {
      await enqueueMailsIn(site.storage.readDb, site.clock)(mailId, job, site.clock());
    }
    return false;
  };

const eraserOf = (
  site: Site,
  { stopping, clocks }: Pick<Reacting, 'stopping' | 'clocks'>,
): ErasePorts => {
  const { commands, keys, shared, storage } = site;
  const { readDb: db } = storage;
  const { dataKeys } = keys;
  const isUpToDate = () => site.isUpToDate(readModels);
  const open = blockersIn(site);
  return {
    handler: commands.handler,
    files: commands.files,
    logos: shared.logos,
    clock: site.clock,
    dataKeys,
    noteBegun: (accountId) => keys.noteErasureBegun(accountStream(accountId)),
    stopping,
    isUpToDate,
    due: (after, limit) => closuresDue(db, toTimestamp(clocks.erasureClock()), after, limit),
    async blockersOf({ accountId, closure }) {
      const forfeitsBalance = closure?.forfeitsBalance ?? false;
      return (await isUpToDate()) ? open(accountId, { forfeitsBalance }) : undefined;
    },
    certify: certifying(site),
    data: {
      lettersLeft: (accountId, limit) => lettersLeft(db, accountId, limit),
      subjectsLeft: (accountId, limit) => subjectsLeft(db, accountId, limit),
      async removeRows(accountId) {
        await removeRows(db, accountId);
        await exportStoreOf(site).removeOf(accountId);
      },
      counts: (accountId) => countsOf(db, accountId),
      books: (accountId) => booksOf({ db, dataKeys }, accountId),
      isKeyThere: (accountId) => isKeyThere(db, accountStream(accountId)),
    },
  };
};

/** Mails a code, once in a period. */
const sendingCodes =
  ({ storage: { readDb }, clock }: Site) =>
  (accountId: string): Promise<void> => {
    const now = clock();
    const period = closureCodePeriod(now);
    const job = { kind: 'closure_code' as const, accountId, period };
    return enqueueMailsIn(readDb, clock)(closureCodeMailId(accountId, period), job, now);
  };

export const closures: Wing = {
  name: 'closures',
  metrics: [
    {
      name: 'erasures_failing',
      help: 'Closed accounts, and letters after RETENTION_DAYS, that could not be erased when they were tried last',
      labels: ['kind'],
    },
  ],
  open: (site) => ({
    write: () =>
      closureOperations({
        handler: site.commands.handler,
        closures: closuresOf(site),
        keepLimits: keepLimitsOf(site),
        codes: closureCodesOf(site),
        mailConfigured: site.config.mail !== undefined,
        sendCode: sendingCodes(site),
        blockersOf: blockersIn(site),
        erasureDays: site.config.accountErasureDays,
        clock: site.clock,
      }),
    read: () => [
      erasureOperation({
        closureById: (id) => closureById(site.storage.readDb, id),
        certificateOf: certificateOf(site),
      }),
    ],
    react: ({ stopping, clocks }) => {
      const erasing = createEraseAccounts(eraserOf(site, { stopping, clocks }));
      return {
        reactors: [createFollowClosures(closuresOf(site))],
        chores: [
          {
            what: 'erasing accounts that were closed',
            everyMs: 5_000,
            work: erasing.work,
          },
          {
            what: 'destroying keys of books after BOOKS_RETENTION_YEARS',
            everyMs: dayMs,
            work: createEndBooks({
              clock: clocks.erasureClock,
              retentionYears: site.config.booksRetentionYears,
              dataKeys: site.keys.dataKeys,
              booksWithKeys: (after, limit) => booksWithKeys(site.storage.readDb, after, limit),
            }),
          },
        ],
        samples: () => [
          { name: 'erasures_failing', labels: { kind: 'account' }, value: erasing.failing() },
        ],
        health: () => {
          const detail = erasing.failure();
          return detail === undefined ? { status: 'ok' } : { status: 'degraded', detail };
        },
      };
    },
  }),
};
