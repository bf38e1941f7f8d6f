import {
  type ExistingLetter,
  type Letter,
  letterAggregate,
  reservationTarget,
} from '../../commands/letters/letter.ts';
import type { DecodedEvent } from '../../events/envelope.ts';
import { type LetterEvent, letterIdIn } from '../../events/letter.ts';
import { usd } from '../command.ts';
import type { Findings } from './findings.ts';
import type { Amounts, LetterMoney } from './wallets.ts';

/** The terms that the check needs, so that a letter takes little memory. */
const slim = (letter: Letter): Letter => {
  if (letter.status === 'none') return letter;
  const { accountId, price } = letter.terms;
  const terms = { accountId, price: { charge: price.charge } } as ExistingLetter['terms'];
  return { ...letter, personal: undefined, requests: [], terms };
};

const total = ({ crypto, fiat }: Amounts): string => usd(crypto + fiat);

/**
 * Every letter against its reservation. What the wallet will do next (capture, release, refund) may
 * still be open, as it is for a moment while the service works or after a crash: that is counted, and
 * is wrong only when the money cannot come right any more.
 */
export const createLetterCheck = (findings: Findings, money: ReadonlyMap<string, LetterMoney>) => {
  const letters = new Map<string, { letter: Letter; position: bigint }>();
  let open = 0;

  const checkPayment = (event: DecodedEvent<LetterEvent>, letterId: string): void => {
    if (event.type !== 'LetterQueued' && event.type !== 'LetterUpdated') return;
    const { attemptId, terms } = event.data;
    if (attemptId === undefined) return;
    const paid = money.get(letterId);
    if (!paid?.attempts.includes(attemptId)) {
      findings.add(event.position, `letter ${letterId} rests on a payment that was never reserved`);
    } else if (paid.accountId !== terms.accountId) {
      findings.add(event.position, `letter ${letterId} was paid by ${paid.accountId}`);
    }
  };

  /** What is wrong, or whether the wallet still has to follow. */
  const judge = (letter: Letter, paid: LetterMoney | undefined): string | 'open' | undefined => {
    const target = reservationTarget(letter);
    const net = paid?.net ?? { crypto: 0n, fiat: 0n };
    const empty = net.crypto === 0n && net.fiat === 0n;
    if (target.state === 'over') return empty ? undefined : 'open';
    const price = { crypto: target.cryptoMicro, fiat: target.fiatMicro };
    if (net.crypto < price.crypto || net.fiat < price.fiat) {
      return `is ${letter.status} and costs ${total(price)}, but ${total(net)} is reserved or spent for it`;
    }
    const exact = net.crypto === price.crypto && net.fiat === price.fiat;
    if (paid?.captured && target.state === 'held') {
      return `is ${letter.status}, but its price was captured already`;
    }
    if (paid?.captured && !exact) return `costs ${total(price)}, but ${total(net)} was captured`;
    const settled = exact && (target.state === 'held' || paid?.captured === true);
    return settled || (exact && empty) ? undefined : 'open';
  };

  const finishOne = (letterId: string, letter: Letter, position: bigint): void => {
    const verdict = judge(letter, money.get(letterId));
    if (verdict === 'open') open++;
    else if (verdict !== undefined) findings.add(position, `letter ${letterId} ${verdict}`);
  };

  return {
    check(event: DecodedEvent<LetterEvent>): void {
      const letterId = letterIdIn(event.stream);
      const before = letters.get(letterId)?.letter ?? letterAggregate.initialState();
      checkPayment(event, letterId);
      const letter = slim(letterAggregate.evolve(before, event, event.metadata.at));
      letters.set(letterId, { letter, position: event.position });
    },
    finish(): void {
      for (const [letterId, { letter, position }] of letters) {
        finishOne(letterId, letter, position);
      }
      const nothing = letterAggregate.initialState();
      for (const letterId of money.keys()) {
        if (!letters.has(letterId)) finishOne(letterId, nothing, 0n);
      }
    },
    totals: () => ({ letters: letters.size, open }),
  };
};
