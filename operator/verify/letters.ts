import {
  type ExistingLetter,
  type Letter,
  letterAggregate,
  pendingApproval,
} from '../../commands/letters/letter.ts';
import { reservationTarget } from '../../commands/letters/reservation-target.ts';
import { missingApprovals } from '../../commands/policies/approvers.ts';
import type { DecodedEvent } from '../../events/envelope.ts';
import { type LetterEvent, letterIdIn } from '../../events/letter.ts';
import { dollars } from '../../money/amounts.ts';
import { type Amounts, covers, equal, nothing, sum } from '../../money/buckets.ts';
import { amountsOf } from '../../money/charge.ts';
import type { Findings } from './findings.ts';
import type { PaidMoney } from './wallets.ts';

/** The members that the check needs. Many letters have the same ones. */
const slim = (letter: Letter): Letter => {
  if (letter.status === 'none') return { ...letter, abandoned: [] };
  const { price } = letter.terms;
  const terms = { price: { charge: price.charge } } as ExistingLetter['terms'];
  const ids = { requests: [], commandIds: [], attempts: [], abandoned: [], blobs: [] };
  const numbers = { trackingNumber: undefined, replacedNumbers: [] };
  const rest = {
    personal: undefined,
    cancellableUntil: undefined,
    releaseAt: undefined,
    queuedAt: undefined,
    startedAt: undefined,
    postedAt: undefined,
  };
  return { ...letter, terms, ...ids, ...numbers, ...rest };
};

/** The same object for letters that are alike, so that a letter takes little memory. */
const createSharing = () => {
  const all = new Map<string, Letter>();
  return (letter: Letter): Letter => {
    const text = JSON.stringify(letter);
    const known = all.get(text) ?? letter;
    all.set(text, known);
    return known;
  };
};

type Paid = Extract<
  DecodedEvent<LetterEvent>,
  { type: 'LetterQueued' | 'LetterUpdated' | 'ApprovalRequested' }
>;

/** Whether the event rests on a payment. */
const isPaid = (event: DecodedEvent<LetterEvent>): event is Paid =>
  event.type === 'LetterQueued' ||
  event.type === 'LetterUpdated' ||
  event.type === 'ApprovalRequested';

/** Whether a letter that waited with this payment has all approvals that it needs. */
const isApproved = (letter: Letter, attemptId: string): boolean => {
  const approval = pendingApproval(letter);
  return approval?.attemptId === attemptId && missingApprovals(approval) === 0;
};

const total = (amounts: Amounts): string => dollars(sum(amounts));

/**
 * Checks every letter against its reservation. The wallet's next step (capture, release, refund) may still be
 * open, as it is for a moment while the service works or after a crash. Open steps are counted. They are
 * faults only when the money can no longer come right.
 */
export const createLetterCheck = (
  findings: Findings,
  wallets: { paidFor(letterId: string): PaidMoney | undefined; paidLetters(): Iterable<string> },
) => {
  const letters = new Map<string, { letter: Letter; position: bigint }>();
  const shared = createSharing();
  let open = 0;

  const checkPayment = (
    event: DecodedEvent<LetterEvent>,
    letterId: string,
    before: Letter,
  ): void => {
    if (!isPaid(event)) return;
    const { attemptId, terms } = event.data;
    if (attemptId === undefined) return;
    const paid = wallets.paidFor(letterId);
    if (event.type === 'LetterQueued' && paid?.held.includes(attemptId)) {
      if (!isApproved(before, attemptId)) {
        findings.add(
          event.position,
          `letter ${letterId} was queued without the approvals it needs`,
        );
      }
    }
    if (!paid?.attempts.includes(attemptId)) {
      findings.add(event.position, `letter ${letterId} rests on a payment that was never reserved`);
    } else if (paid.accountId !== terms.accountId) {
      findings.add(event.position, `letter ${letterId} was paid by ${paid.accountId}`);
    }
  };

  /** The problem, or whether the wallet still has to follow. */
  const judge = (letter: Letter, paid: PaidMoney | undefined): string | 'open' | undefined => {
    const target = reservationTarget(letter);
    const net = paid?.net ?? nothing;
    const empty = equal(net, nothing);
    if (target.state === 'over') return empty ? undefined : 'open';
    const price = amountsOf(target.charge);
    if (!covers(net, price)) {
      return `is ${letter.status} and costs ${total(price)}, but ${total(net)} is reserved or spent for it`;
    }
    const exact = equal(net, price);
    if (paid?.captured && target.state === 'held') {
      return `is ${letter.status}, but its price was captured already`;
    }
    if (paid?.captured && !exact) return `costs ${total(price)}, but ${total(net)} was captured`;
    const settled = exact && (target.state === 'held' || paid?.captured === true);
    return settled || (exact && empty) ? undefined : 'open';
  };

  const finishOne = (letterId: string, letter: Letter, position: bigint): void => {
    const verdict = judge(letter, wallets.paidFor(letterId));
    if (verdict === 'open') open++;
    else if (verdict !== undefined) findings.add(position, `letter ${letterId} ${verdict}`);
  };

  return {
    check(event: DecodedEvent<LetterEvent>): void {
      const letterId = letterIdIn(event.stream);
      const before = letters.get(letterId)?.letter ?? letterAggregate.initialState();
      checkPayment(event, letterId, before);
      const letter = shared(slim(letterAggregate.evolve(before, event, event.metadata.at)));
      letters.set(letterId, { letter, position: event.position });
    },
    finish(): void {
      for (const [letterId, { letter, position }] of letters) {
        finishOne(letterId, letter, position);
      }
      const nothing = letterAggregate.initialState();
      for (const letterId of wallets.paidLetters()) {
        if (!letters.has(letterId)) finishOne(letterId, nothing, 0n);
      }
    },
    totals: () => ({ letters: letters.size, open }),
  };
};
