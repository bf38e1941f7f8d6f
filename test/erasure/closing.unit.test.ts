/** Blockers of the erasure of an account, its days of grace, and the keys of its books. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type Account, accountAggregate } from '../../commands/accounts/account.ts';
import { blockersOf, type OpenMatters } from '../../commands/accounts/blockers.ts';
import {
  beginErasure,
  closureProof,
  requestClosure,
  withdrawClosure,
} from '../../commands/accounts/close-account.ts';
import { inspectAccount } from '../../commands/accounts/restrictions.ts';
import { initialState, type Wallet } from '../../commands/wallets/state.ts';
import { blockerCodes } from '../../contract/closure-blockers.ts';
import type { AccountEvent } from '../../events/account.ts';
import { booksStream } from '../../events/books.ts';
import { createEndBooks } from '../../reactors/end-books.ts';
import { seeded } from '../support/seeded.ts';

const free: OpenMatters = { letters: 0, approvals: 0, payments: 0, disputes: 0, contracts: 0 };
const wallet = (micro: bigint, test = false): Wallet => ({
  ...initialState(),
  status: 'open',
  test,
  available: { crypto: 0n, fiat: micro },
});
const codes = (open: Partial<OpenMatters>, money = 0n, forfeitsBalance = false): string[] =>
  blockersOf({ ...free, ...open }, wallet(money), { forfeitsBalance }).map(({ code }) => code);

describe('what stands in the way of the erasure of an account', () => {
  it('is nothing where nothing is open and no money is left', () => {
    expect(codes({})).to.deep.equal([]);
  });

  it('is each open matter by its code, and all of them together', () => {
    expect(codes({ letters: 1 })).to.deep.equal(['letters_under_way']);
    expect(codes({ approvals: 2 })).to.deep.equal(['approvals_pending']);
    expect(codes({ payments: 1 })).to.deep.equal(['payments_pending']);
    expect(codes({ disputes: 1 })).to.deep.equal(['dispute_open']);
    expect(codes({ contracts: 1 })).to.deep.equal(['contract_active']);
    expect(codes({}, 1n)).to.deep.equal(['balance_left']);
    expect(codes({}, -1n)).to.deep.equal(['balance_owed']);
    const all = { letters: 1, approvals: 1, payments: 1, disputes: 1, contracts: 1 };
    expect([...codes(all, 1n), 'balance_owed']).to.have.members([...blockerCodes]);
  });

  it('never advises to spend or to top up, which a closing account cannot do', () => {
    for (const money of [5n, -5n]) {
      const [blocker] = blockersOf(free, wallet(money), { forfeitsBalance: false });
      expect(blocker?.detail).to.match(/[Tt]ake the closure back to (?:spend|top)/);
      expect(blocker?.detail).not.to.match(/\b(?:Spend|Top) it/);
    }
  });

  it('is not money that is given up or for tests, but what is owed in any case', () => {
    expect(codes({}, 5n, true)).to.deep.equal([]);
    expect(codes({}, -5n, true)).to.deep.equal(['balance_owed']);
    expect(blockersOf(free, wallet(5n, true), { forfeitsBalance: false })).to.deep.equal([]);
  });
});

describe('the second proof of a closure', () => {
  const account = (changes: Partial<Account>): Account => ({
    ...accountAggregate.initialState(),
    status: 'open',
    accountId: 'acct_1',
    ...changes,
  });
  const confirmedAt = '2026-11-01T12:00:00.000Z';
  const notified = (confirmed: string | undefined): Partial<Account> => ({
    settings: { notificationEmail: 'ann@example.org' },
    confirmedNotificationEmail: confirmed,
  });
  const cases: [string, Partial<Account>, 'code' | 'confirm'][] = [
    ['an address that is confirmed', { kind: 'email', name: 'a@example.org', confirmedAt }, 'code'],
    ['an address that is not confirmed', { kind: 'email', name: 'a@example.org' }, 'confirm'],
    ['an agent without an address', { kind: 'agent', name: 'agent-1' }, 'confirm'],
    [
      'an agent whose address for notifications is confirmed',
      { kind: 'agent', name: 'agent-1', ...notified('Ann@example.org') },
      'code',
    ],
    [
      'an agent whose address for notifications is another one than was confirmed',
      { kind: 'agent', name: 'agent-1', ...notified('eve@example.org') },
      'confirm',
    ],
    ['a wallet', { kind: 'wallet', name: 'did:pkh:eip155:8453:0x1' }, 'confirm'],
  ];

  for (const [whose, state, proof] of cases) {
    it(`of the account of ${whose} is ${proof === 'code' ? 'a mailed code' : 'its id'}`, () => {
      expect(closureProof(account(state), true)).to.equal(proof);
      expect(closureProof(account(state), false), 'where no mail is sent').to.equal('confirm');
    });
  }
});

describe('the days of grace of an account that closes', () => {
  const dayMs = 86_400_000;
  const asked = Date.parse('2026-11-01T12:00:00.000Z');
  const at = (days: number): string => new Date(asked + days * dayMs).toISOString();
  const open = (): Account => ({
    ...accountAggregate.initialState(),
    status: 'open',
    accountId: 'acct_1',
  });
  const fold = (state: Account, events: AccountEvent[]): Account =>
    events.reduce((account, event) => apply(account, event), state);
  const apply = (account: Account, event: AccountEvent): Account =>
    accountAggregate.evolve(account, event, { at: at(0) } as never);
  const closing = (days: number): Account => {
    const closureId = randomUUID();
    const wanted = { closureId, erasesAt: at(days), forfeitsBalance: false, requestHash: 'h' };
    return fold(open(), requestClosure(open(), { type: 'RequestClosure', ...wanted }, at(0)));
  };

  it('pass before anything is erased, whatever their number and the moment', () => {
    const random = seeded(30);
    for (let round = 0; round < 200; round++) {
      const days = 1 + Math.floor(random() * 60);
      const state = closing(days);
      const early = at(days - random() * days - 1e-6);
      expect(beginErasure(state, early), `${days} days, at ${early}`).to.deep.equal([]);
      expect(beginErasure(state, at(days))[0]?.type).to.equal('AccountErasureBegun');
    }
  });

  it('never end before they began, whatever moment the request read from its clock', () => {
    const random = seeded(31);
    let state = open();
    for (let round = 0; round < 200; round++) {
      const now = at(round / 24);
      const erasesAt = at(round / 24 + random() - 0.5);
      const wanted = { closureId: randomUUID(), erasesAt, forfeitsBalance: random() < 0.5 };
      const command = { type: 'RequestClosure' as const, ...wanted, requestHash: 'h' };
      const [event] = requestClosure(state, command, now);
      if (event?.type !== 'AccountClosureRequested') continue;
      expect(
        event.data.erasesAt >= now || event.data.erasesAt === state.closure?.erasesAt,
      ).to.equal(true);
      state = fold(state, [event]);
    }
  });

  it('end without an erasure where the closure is taken back', () => {
    const state = closing(30);
    const back = fold(state, withdrawClosure(state));
    expect(back.closure).to.equal(undefined);
    expect(beginErasure(back, at(31))).to.deep.equal([]);
  });

  it('cannot be taken back once the erasure began', () => {
    const state = closing(30);
    const begun = fold(state, beginErasure(state, at(30)));
    expect(begun.status).to.equal('erased');
    expect(() => withdrawClosure(begun)).to.throw();
    expect(beginErasure(begun, at(31))).to.deep.equal([]);
  });
});

describe('looks into an account that closes', () => {
  const closureId = randomUUID();
  const look = { type: 'InspectAccount', inspector: 'opr_1', rights: 'operator' } as const;
  const accountId = 'acct_1';
  const requested = { erasesAt: '2026-11-01T12:00:00.000Z', forfeitsBalance: false };
  const counts = { letters: 0, ucans: 0, payments: 0, booksOf: [] };
  const history: AccountEvent[] = [
    {
      type: 'AccountClosureRequested',
      data: { accountId, closureId, ...requested, requestHash: 'h' },
    },
    { type: 'AccountErasureBegun', data: { accountId, closureId } },
    { type: 'AccountErased', data: { accountId, closureId, ...counts } },
  ];

  it('are recorded at each moment until it is erased', () => {
    let state: Account = { ...accountAggregate.initialState(), status: 'open', accountId };
    for (const event of history) {
      const data = { accountId, inspector: 'opr_1', rights: 'operator' };
      expect(inspectAccount(state, look)).to.deep.equal([{ type: 'AccountInspected', data }]);
      state = accountAggregate.evolve(state, event, '2026-11-01T12:00:00.000Z');
    }
    expect(inspectAccount(state, look)).to.deep.equal([]);
  });
});

describe('the keys of books', () => {
  const run = async (today: string, retentionYears: number, years: number[]) => {
    let left = years.map((year) => booksStream('acct_1', year)).toSorted();
    const destroyed: string[] = [];
    await createEndBooks({
      clock: () => Date.parse(today),
      retentionYears,
      dataKeys: {
        async erase(subject) {
          destroyed.push(subject);
          left = left.filter((one) => one !== subject);
        },
      },
      // Pages of two, so that a run needs several.
      booksWithKeys: async (after) => left.filter((one) => one > after).slice(0, 2),
    })();
    return destroyed;
  };

  it('are destroyed after the full years of BOOKS_RETENTION_YEARS, and not a day before', async () => {
    const years = [2014, 2015, 2016, 2017, 2026];
    expect(await run('2026-12-31T23:59:59.999Z', 10, years)).to.deep.equal([
      booksStream('acct_1', 2014),
      booksStream('acct_1', 2015),
    ]);
    expect(await run('2027-01-01T00:00:00.000Z', 10, years)).to.deep.equal([
      booksStream('acct_1', 2014),
      booksStream('acct_1', 2015),
      booksStream('acct_1', 2016),
    ]);
  });

  it('stay where no year is over', async () => {
    expect(await run('2026-06-01T00:00:00.000Z', 1, [2025, 2026])).to.deep.equal([]);
  });
});
