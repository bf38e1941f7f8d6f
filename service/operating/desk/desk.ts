/** The operator's console, over the functions of the operator's commands. */

import { Refused, UsageError } from '../../../contract/operator-refused.ts';
import { isReturnReason } from '../../../contract/return-reasons.ts';
import { toTimestamp } from '../../../ground/clock.ts';
import { keptFor } from '../../../ground/kept-for.ts';
import { isUuid } from '../../../ground/uuid.ts';
import { createOperatorStore } from '../../../infra/sessions/operator-store.ts';
import type { Desk } from '../../../pages/console/operator/desk.ts';
import { eventIdOf } from '../../../presenters/account.ts';
import {
  newestReturned,
  oldestInProduction,
  productionByAge,
} from '../../../projections/letters/query.ts';
import { mailsById } from '../../../projections/mails/query.ts';
import type { Foundation } from '../../foundation/wing.ts';
import {
  assertKey,
  block,
  changeFreeze,
  oneLine,
  parseQuota,
  type QuotaName,
  quotaNames,
  revokeKeys,
  setNamedQuotas,
  unblock,
} from '../account-actions.ts';
import { advance } from '../advance.ts';
import { creditWallet, parseAmount, parseBucket, parseReference } from '../credit.ts';
import { deliverAgain } from '../deliver-again.ts';
import { theAccount } from '../find-account.ts';
import { sendMailAgain } from '../send-mail-again.ts';
import { accountLines, accountView, loadAccount } from './account-view.ts';
import { createAudits } from './audits.ts';
import { backlogOf, countWaiting, incidentsOf, partnerOf } from './incidents.ts';
import { letterLine, letterView, mailLine } from './letter-view.ts';
import { createLook, type Look } from './looks.ts';
import {
  checksOf,
  giveUp,
  jobLines,
  parkedLines,
  remove,
  replayParked,
  retry,
} from './machinery.ts';
import { search } from './search.ts';

const mostLetters = 50;
/** Counting the letters in production reads all of it. */
const countedForMs = 10_000;

type Accounts = Pick<
  Desk,
  | 'accounts'
  | 'account'
  | 'block'
  | 'unblock'
  | 'freeze'
  | 'unfreeze'
  | 'setQuotas'
  | 'credit'
  | 'revokeKey'
  | 'deliverAgain'
>;

/** The list of accounts sorts all of them. */
const listedForMs = 5_000;

const keptLists = (foundation: Foundation): Desk['accounts'] => {
  const all = keptFor(listedForMs, () => accountLines(foundation, { blocked: false }));
  const blocked = keptFor(listedForMs, () => accountLines(foundation, { blocked: true }));
  return (filter) => {
    if (filter.before !== undefined) return accountLines(foundation, filter);
    return filter.blocked ? blocked() : all();
  };
};

const accountsDesk = (foundation: Foundation, look: Look): Accounts => ({
  accounts: keptLists(foundation),
  async account(session, accountId) {
    const account = await loadAccount(foundation, accountId);
    if (!account) return undefined;
    await look(session, accountId);
    return accountView(foundation, account);
  },
  async block(accountId, reason) {
    await block(foundation, { accountId }, oneLine('The reason', reason));
  },
  async unblock(accountId, check) {
    await unblock(foundation, { accountId }, check);
  },
  async freeze(accountId) {
    await changeFreeze(foundation, 'freeze', { accountId });
  },
  async unfreeze(accountId, check) {
    await changeFreeze(foundation, 'unfreeze', { accountId }, {}, check);
  },
  async setQuotas(accountId, quotas, check) {
    const names = Object.keys(quotaNames) as QuotaName[];
    const wanted = Object.fromEntries(
      names
        .filter((name) => Object.hasOwn(quotas, name))
        .map((name) => [name, parseQuota(`The quota ${name}:`, quotas[name]?.trim())]),
    );
    await setNamedQuotas(foundation, await theAccount(foundation, accountId), wanted, check);
  },
  async credit(accountId, { amount, bucket: bucketText, reference }) {
    const bucket = parseBucket('The bucket', bucketText);
    const credited = await creditWallet(foundation, await theAccount(foundation, accountId), {
      bucket,
      amountMicro: parseAmount(amount, bucket),
      reference: parseReference('The reference', reference),
    });
    return { credited };
  },
  async revokeKey(accountId, keyId) {
    const account = await theAccount(foundation, accountId);
    assertKey(account, keyId, toTimestamp(foundation.clock()));
    await revokeKeys(foundation, account, (key) => key.keyId === keyId);
  },
  async deliverAgain(accountId, notificationId, request) {
    const eventId = eventIdOf(notificationId);
    if (eventId === undefined) throw new UsageError('This is not the id of a notification.');
    await deliverAgain(foundation, accountId, [eventId], { request });
  },
});

type Letters = Pick<
  Desk,
  'production' | 'returned' | 'letter' | 'reportReturned' | 'mail' | 'sendMailAgain'
>;

const lettersDesk = (foundation: Foundation, look: Look): Letters => {
  const { storage, clock } = foundation;
  const { readDb } = storage;
  const productionNow = async () => {
    const [ages, oldest] = await Promise.all([
      productionByAge(readDb, toTimestamp(clock())),
      oldestInProduction(readDb, mostLetters),
    ]);
    return {
      ages: ages.map(({ test, state, age, letters, oldest: since }) => ({
        partner: partnerOf(foundation, test),
        state,
        age,
        letters,
        oldest: since.toISOString(),
      })),
      oldest: oldest.map(letterLine),
    };
  };
  return {
    production: keptFor(countedForMs, productionNow),
    returned: async () => (await newestReturned(readDb, mostLetters)).map(letterLine),
    async letter(session, letterId) {
      if (!isUuid(letterId)) return undefined;
      const found = await foundation.shared.letterReader.readLetter(letterId);
      if (!found) return undefined;
      await look(session, found.record.accountId);
      return letterView(foundation, found.record);
    },
    async reportReturned(letterId, reason) {
      if (!isReturnReason(reason)) throw new UsageError('Choose why the letter came back.');
      const report = { letterId, status: 'returned', evidence: 'carrier_scan', reason } as const;
      await advance(foundation, { ...report, tracking: undefined, notPrinted: false }, () => {});
    },
    async mail(session, mailId) {
      const [row] = isUuid(mailId) ? await mailsById(readDb, [mailId]) : [];
      if (!row) return undefined;
      await look(session, row.account_id);
      const letterId = row.letter_id ?? undefined;
      return { ...mailLine(row), accountId: row.account_id, letterId };
    },
    async sendMailAgain(mailId) {
      await sendMailAgain(foundation, { mailId });
    },
  };
};

/** @param env of the process, whose secrets are kept out of the doctor's findings */
export const createDesk = (
  foundation: Foundation,
  baseUrl: string,
  env: NodeJS.ProcessEnv,
): Desk => {
  const look = createLook(foundation, createOperatorStore(foundation.storage.readDb));
  const waiting = keptFor(countedForMs, () => countWaiting(foundation));
  let examining = false;
  return {
    ...accountsDesk(foundation, look),
    ...lettersDesk(foundation, look),
    ...createAudits(foundation, baseUrl, look),
    incidents: async (health) => incidentsOf(foundation, health, await waiting()),
    backlog: async () => backlogOf(foundation, (await waiting()).letters),
    search: (text) => search(foundation, text),
    jobs: () => jobLines(foundation),
    retryJob: (id) => retry(foundation, id),
    giveUpJob: (id) => giveUp(foundation, id),
    removeJob: (id) => remove(foundation, id),
    parked: () => parkedLines(foundation),
    replayParked: (reactor) => replayParked(foundation, reactor),
    checks: () => checksOf(foundation),
    async runDoctor() {
      if (examining) throw new Refused('The doctor is looking already. Load the page again.');
      examining = true;
      try {
        // Loaded when it is needed: it knows every system that the service talks to.
        const { examine } = await import('../doctor/examine.ts');
        await examine(foundation.config, foundation.log, env);
      } finally {
        examining = false;
      }
    },
  };
};
