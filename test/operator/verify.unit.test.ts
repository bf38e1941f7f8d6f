import { expect } from 'chai';
import { walletAggregate } from '../../commands/wallets/wallet.ts';
import type { DecodedEvent } from '../../events/envelope.ts';
import type { LetterEvent } from '../../events/letter.ts';
import { letterPurpose, type WalletEvent } from '../../events/wallet.ts';
import { createFindings } from '../../operator/verify/findings.ts';
import { createLetterCheck } from '../../operator/verify/letters.ts';
import { createWalletCheck } from '../../operator/verify/wallets.ts';

/** Events with the same `command` are of one commit; absent: the event is a commit of its own. */
type Given = { stream: string; event: WalletEvent | LetterEvent; command?: string };

const wallet = (event: WalletEvent, period = 0): Given => ({
  stream: `wallet-acct_a-${period}`,
  event,
});
const letter = (event: LetterEvent, id = 'one'): Given => ({ stream: `letter-${id}`, event });

const opened = wallet({
  type: 'WalletOpened',
  data: { accountId: 'acct_a', test: false, remembersRefunds: true },
});
const credited = (usd: number, creditId = 'wire'): Given =>
  wallet({
    type: 'FundsCredited',
    data: {
      receipt: { method: 'operator', id: creditId },
      bucket: 'fiat',
      amountMicro: usd * 1_000_000,
    },
  });
const reserved = (usd: number, attemptId = 'try', letterId = 'one'): Given =>
  wallet({
    type: 'FundsReserved',
    data: {
      purpose: letterPurpose(letterId),
      attemptId,
      cryptoMicro: 0,
      fiatMicro: usd * 1_000_000,
      commissionCryptoMicro: 0,
      commissionFiatMicro: 0,
    },
  });
const moved = (type: 'FundsReleased' | 'FundsCaptured' | 'FundsRefunded', usd: number): Given => {
  const data = { purpose: letterPurpose('one'), cryptoMicro: 0, fiatMicro: usd * 1_000_000 };
  return type === 'FundsCaptured'
    ? wallet({ type, data: { ...data, commissionCryptoMicro: 0, commissionFiatMicro: 0 } })
    : wallet({ type, data });
};

const termsOf = (usd: number, accountId = 'acct_a') => {
  const charge = {
    subtotalCryptoCents: 0,
    commissionCryptoCents: 0,
    subtotalFiatCents: usd * 100,
    commissionFiatCents: 0,
  };
  return { accountId, price: { charge } };
};
const queued = (usd: number, attemptId = 'try', accountId = 'acct_a'): Given => {
  const terms = termsOf(usd, accountId);
  return letter({
    type: 'LetterQueued',
    data: { terms, attemptId, requestHash: '', cancellableUntil: '', releaseAt: '' },
  } as unknown as LetterEvent);
};
/** A change that costs nothing more takes of a limit, and its letter rests on it. */
const counted = (attemptId: string): Given =>
  wallet({
    type: 'LetterCounted',
    data: {
      purpose: letterPurpose('one'),
      attemptId,
      counts: [{ counter: 1, since: 0, amountMicro: 1, letters: 1 }],
    },
  });
const updated = (usd: number, attemptId: string): Given =>
  letter({
    type: 'LetterUpdated',
    data: { terms: termsOf(usd), attemptId, changed: ['to'] },
  } as unknown as LetterEvent);
const needs = [{ policy: 'account', rules: ['ask'], quorum: 2, approvers: ['key_a', 'key_b'] }];

/** A letter that a policy holds, and that waits. */
const waiting = (usd: number): Given[] => {
  const { stream, event } = reserved(usd);
  const held = { needs, expiresInHours: 72 };
  const { data } = event as WalletEvent & { type: 'FundsReserved' };
  const terms = termsOf(usd);
  const asked = { approvalId: 'apr', attemptId: 'try', needs, terms };
  return [
    { stream, event: { type: 'FundsReserved', data: { ...data, held } } as WalletEvent },
    letter({
      type: 'LetterDrafted',
      data: { terms, holdReason: 'approval', requestHash: '' },
    } as unknown as LetterEvent),
    letter({ type: 'ApprovalRequested', data: asked } as unknown as LetterEvent),
  ];
};
const approvedBy = (approver: string): Given => {
  const credential = { own: [approver], line: [approver] };
  const data = { approvalId: 'apr', approver, credential, policies: ['account'] };
  return letter({ type: 'ApprovalGiven', data });
};
const produced = letter({
  type: 'LetterProcessingStarted',
  data: { partner: 'hotfolder', jobId: 'one', source: 'partner' },
});
const failed = letter({
  type: 'LetterFailed',
  data: { code: 'jam', stage: 'print', retryable: false, detail: '', source: 'partner' },
});
const cancelled = letter({ type: 'LetterCancelled', data: { from: 'queued' } });

/** The findings of a walk over these events, as `position: what`, and the number of open letters. */
const walk = (...given: Given[]) => {
  const findings = createFindings();
  const wallets = createWalletCheck(findings);
  const letters = createLetterCheck(findings, wallets);
  const versions = new Map<string, bigint>();
  for (const [index, { stream, event, command = `command ${index}` }] of given.entries()) {
    const version = (versions.get(stream) ?? -1n) + 1n;
    versions.set(stream, version);
    const metadata = { at: '2026-11-21T10:00:00.000Z', command };
    const decoded = { ...event, stream, version, position: BigInt(index + 1), metadata };
    if (stream.startsWith('wallet-')) wallets.check(decoded as DecodedEvent<WalletEvent>);
    else letters.check(decoded as DecodedEvent<LetterEvent>);
  }
  wallets.finish();
  letters.finish();
  return {
    found: findings.list().map(({ position, detail }) => `${position}: ${detail}`),
    open: letters.totals().open,
    live: wallets.totals(false),
  };
};

const chargedBack = (usd: number, id: string): Given =>
  wallet({
    type: 'FundsChargedBack',
    data: {
      receipt: { method: 'card', id },
      creditId: 'wire',
      bucket: 'fiat',
      amountMicro: usd * 1_000_000,
    },
  });
const inOneCommit = (command: string, ...events: Given[]): Given[] =>
  events.map((event) => ({ ...event, command }));
const belowZero = [opened, credited(10), reserved(3, 'first', 'zero'), chargedBack(10, 'disputed')];

const sent = [opened, credited(10), reserved(3), queued(3)];
const refunded = [...sent, produced, moved('FundsCaptured', 3), failed, moved('FundsRefunded', 3)];
const asked = [opened, credited(10), ...waiting(3)];
const bothApproved = [approvedBy('key_a'), approvedBy('key_b')];

describe('verifying money', () => {
  it('is satisfied with an attempt that was undone, made again, and undone again', () => {
    const undone = moved('FundsReleased', 3);
    const { found } = walk(opened, credited(10), reserved(3), undone, reserved(3), undone);
    expect(found).to.deep.equal([]);
  });

  for (const [what, events] of [
    ['a letter that is queued', sent],
    ['a letter that waits for approval', asked],
    ['a letter that was approved', [...asked, ...bothApproved, queued(3)]],
    ['a letter in production', [...sent, produced, moved('FundsCaptured', 3)]],
    ['a letter that moved at its price', [...sent, counted('move'), updated(3, 'move')]],
    [
      'a letter in production whose move was refused',
      [...sent, counted('move'), produced, moved('FundsCaptured', 3), moved('FundsReleased', 0)],
    ],
    ['a letter that was cancelled', [...sent, cancelled, moved('FundsReleased', 3)]],
    ['a letter that failed', refunded],
    [
      'a change that paid after its letter had failed, and got its money back',
      [...refunded, reserved(1, 'change'), moved('FundsReleased', 1)],
    ],
  ] as [string, Given[]][]) {
    it(`is satisfied with ${what}`, () => {
      const { found, open, live } = walk(...events);
      expect({ found, open }).to.deep.equal({ found: [], open: 0 });
      expect(live.available + live.held + live.spent).to.equal(live.credited);
    });
  }

  for (const [what, events] of [
    [
      'a dispute over money that a closure paid out',
      [opened, credited(10), chargedBack(10, 'closure-1'), chargedBack(10, 'disputed')],
    ],
    [
      'a payment that is held in full while the wallet is below zero',
      [...belowZero, ...inOneCommit('hold', credited(3, 'order'), reserved(3))],
    ],
    [
      'a letter that is paid from what was held for it while the wallet is below zero',
      [
        ...belowZero,
        ...inOneCommit('hold', credited(3, 'order'), reserved(3)),
        ...inOneCommit('send', moved('FundsReleased', 3), reserved(2, 'again', 'two')),
      ],
    ],
  ] as [string, Given[]][]) {
    it(`is satisfied with ${what}`, () => {
      expect(walk(...events).found).to.deep.equal([]);
    });
  }

  for (const [what, events] of [
    ['a capture', [...sent, produced]],
    ['a release', [...sent, cancelled]],
    ['a refund', [...sent, produced, moved('FundsCaptured', 3), failed]],
    [
      'the release of a letter whose approval expired',
      [...asked, letter({ type: 'ApprovalExpired', data: { approvalId: 'apr' } })],
    ],
    ['the letter itself', [opened, credited(10), reserved(3)]],
  ] as [string, Given[]][]) {
    it(`counts, and does not blame, a wallet that still waits for ${what}`, () => {
      expect(walk(...events)).to.deep.include({ found: [], open: 1 });
    });
  }

  for (const [events, finding] of [
    [[opened, reserved(3), queued(3)], '2: wallet of acct_a: more was taken than there was'],
    [
      [...belowZero, credited(3, 'more'), reserved(3)],
      '6: wallet of acct_a: more was taken than there was',
    ],
    [
      [...belowZero, ...inOneCommit('hold', credited(3, 'order'), reserved(4))],
      '6: wallet of acct_a: more was taken than there was',
    ],
    [
      [opened, credited(10), chargedBack(10, 'disputed'), chargedBack(1, 'closure-1')],
      '4: wallet of acct_a: more of credit wire was charged back than there was',
    ],
    [[opened, credited(5), credited(5)], '3: wallet of acct_a: credit wire was given twice'],
    [[...sent, reserved(3)], '5: wallet of acct_a: payment attempt try was reserved twice'],
    [
      [...sent, produced, moved('FundsCaptured', 3), moved('FundsCaptured', 3)],
      '7: wallet of acct_a: letter one was captured twice',
    ],
    [
      [...refunded, reserved(3, 'change'), moved('FundsCaptured', 3)],
      '10: wallet of acct_a: letter one was captured twice',
    ],
    [
      [...refunded, moved('FundsRefunded', 3)],
      '9: wallet of acct_a: more was given back for letter one than it cost',
    ],
    [
      [...refunded, reserved(3, 'change'), moved('FundsRefunded', 3)],
      '10: wallet of acct_a: FundsRefunded for letter one, which was not captured',
    ],
    [
      [...sent, produced, moved('FundsCaptured', 2)],
      '6: wallet of acct_a: $0.00 crypto + $2.00 fiat captured for letter one, $0.00 crypto + $3.00 fiat were held',
    ],
    [
      [...sent, cancelled, moved('FundsReleased', 3), moved('FundsReleased', 3)],
      '7: wallet of acct_a: more was given back for letter one than it cost',
    ],
    [
      [...sent, cancelled, moved('FundsRefunded', 3)],
      '6: wallet of acct_a: FundsRefunded for letter one, which was not captured',
    ],
    [[opened, moved('FundsReleased', 1)], '2: wallet of acct_a: FundsReleased for letter one'],
    [[opened, credited(9), queued(3)], '3: letter one rests on a payment that was never reserved'],
    [
      [opened, credited(9), reserved(2), queued(3)],
      '4: letter one is queued and costs $3.00, but $2.00 is reserved or spent for it',
    ],
    [[...asked, queued(3)], '6: letter one was queued without the approvals it needs'],
    [
      [...asked, approvedBy('key_a'), queued(3)],
      '7: letter one was queued without the approvals it needs',
    ],
    [
      [...sent, moved('FundsReleased', 3)],
      '4: letter one is queued and costs $3.00, but $0.00 is reserved or spent for it',
    ],
    [
      [...sent, moved('FundsCaptured', 3)],
      '4: letter one is queued, but its price was captured already',
    ],
    [
      [opened, credited(9), reserved(3), queued(3, 'try', 'acct_b')],
      '4: letter one was paid by acct_a',
    ],
  ] as [Given[], string][]) {
    it(`finds "${finding.slice(3)}"`, () => {
      const { found } = walk(...events);
      expect(
        found.some((one) => one.startsWith(finding)),
        found.join('\n'),
      ).to.equal(true);
    });
  }

  describe('over the end of a period', () => {
    const closed = wallet({ type: 'WalletPeriodClosed', data: { nextPeriod: 1 } });
    const before = [opened, credited(10), reserved(3)];
    const state = [...before, closed].reduce(
      (folded, { event }) =>
        walletAggregate.evolve(folded, event as WalletEvent, '2026-11-21T10:00:00.000Z'),
      walletAggregate.initialState(),
    );
    const opening = (walletAggregate.books?.successor(state)?.opening ?? []).map((event) =>
      wallet(event, 1),
    );

    it('finds nothing wrong with what is carried forward', () => {
      const { found, live } = walk(...before, closed, ...opening);
      expect(opening).to.have.length(3);
      expect(found).to.deep.equal([]);
      expect(live).to.include({ available: 7_000_000n, held: 3_000_000n });
    });

    it('finds a balance that grew', () => {
      const grown = opening.map(({ stream, event }) => ({
        stream,
        event: (event.type === 'WalletPeriodOpened'
          ? { ...event, data: { ...event.data, availableFiatMicro: 8_000_000 } }
          : event) as WalletEvent,
      }));
      expect(walk(...before, closed, ...grown).found[0]).to.match(
        /^7: wallet of acct_a: the period begins with .*\$8\.00 fiat, the one before ended with/,
      );
    });

    it('finds nothing wrong while the opening of a period is written', () => {
      const { found, live } = walk(...before, closed, ...opening.slice(0, -1));
      expect(found).to.deep.equal([]);
      expect(live).to.include({ available: 7_000_000n, held: 3_000_000n });
    });

    it('finds a reservation that was not carried forward', () => {
      const lost = opening.filter(({ event }) => event.type !== 'ReservationsCarriedForward');
      expect(walk(...before, closed, ...lost).found[0]).to.match(/folds to .* \$0\.00 fiat held/);
    });

    it('finds a period that begins before the one before ended', () => {
      expect(walk(...before, ...opening).found).to.deep.equal([
        '4: wallet of acct_a: period 1 begins while period 0 is open',
      ]);
    });
  });
});
