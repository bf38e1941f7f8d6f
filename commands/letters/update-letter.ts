/** Changing a letter that is not printed yet: recipient, reference, metadata. */
import type { LetterEvent } from '../../events/letter.ts';
import { accountSubject } from '../../events/policy.ts';
import { type Clock, toTimestamp } from '../../ground/clock.ts';
import type { MicroUsd } from '../../money/amounts.ts';
import { sum } from '../../money/buckets.ts';
import {
  addCharges,
  type Charge,
  chargeOfCents,
  reduceCharge,
  splitCharge,
  totalOf,
} from '../../money/charge.ts';
import { countries } from '../../postal/countries.ts';
import type { Envelope } from '../../postal/paper.ts';
import { supplementOf } from '../../postal/rates.ts';
import type { CountryCode, ServiceId } from '../../postal/types.ts';
import type { LetterBeforeRules } from '../guards/guarded-letter.ts';
import { guardedLetter } from '../guards/guarded-letter.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { keptDiscountOf } from '../negotiation/discount-end.ts';
import { approvalRequired } from '../policies/approvals.ts';
import { pricedBy, priceOf } from '../preparation/letter-charge.ts';
import type { LetterContent, LetterInput } from '../preparation/letter-input.ts';
import type { Prepared, PrepareLetter, PreparePorts } from '../preparation/prepare-letter.ts';
import { assertWithin } from '../wallets/max-total.ts';
import { assertAllowed } from '../wallets/reserve-funds.ts';
import { assertPermitted, decideLetter } from './accept-letter.ts';
import { type ExistingLetter, type Letter, letterAggregate } from './letter.ts';
import { updateLetter } from './letter-drafts.ts';
import {
  assertVersion,
  inputOf,
  ownLetter,
  type ReadableLetter,
  withRecipient,
} from './own-letter.ts';
import { changedMeanwhile, type Payment, type Payments, type SendContext } from './pay-letter.ts';

export type LetterChanges = {
  to: Partial<LetterInput['to']>;
  /** Absent: as it is. Null: removed. */
  reference?: string | null;
  metadata?: Record<string, string> | null;
  acceptAddressAsIs: boolean;
  /** The letter may cost this after the change at most. */
  maxTotalMicro?: MicroUsd | undefined;
};

const mergeChanges = (
  letter: ReadableLetter,
  content: LetterContent,
  changes: LetterChanges,
): LetterInput => {
  const merged = withRecipient(inputOf(letter, content), changes.to);
  const { reference, metadata, acceptAddressAsIs } = merged;
  return {
    ...merged,
    reference: changes.reference === undefined ? reference : (changes.reference ?? undefined),
    metadata: changes.metadata === undefined ? metadata : (changes.metadata ?? undefined),
    acceptAddressAsIs: {
      ...acceptAddressAsIs,
      to: acceptAddressAsIs.to || changes.acceptAddressAsIs,
    },
  };
};

/** The supplement of a letter, by the place in its country that it goes to. */
const supplementTo = ({ terms, personal: { to } }: Pick<Prepared, 'terms' | 'personal'>) => {
  const { service, envelope, country, sheets } = terms;
  const { pageFormat: format } = countries[country as CountryCode];
  const item = { service: service as ServiceId, sheets, format, to };
  return supplementOf(envelope as Envelope, item);
};

/** Whether it was kept until money comes for it. */
const waitsForMoney = ({ requests }: Pick<ExistingLetter, 'requests'>): boolean =>
  requests.some(({ holdReason }) => holdReason === 'funds');

/**
 * A letter that is made as before keeps the price that is agreed to, whatever the table says today. With a larger
 * supplement it has the price of the table. With a smaller supplement it has the lower of both prices, because an agreed
 * price may have contained no supplement.
 */
const asAgreed = (letter: ReadableLetter, prepared: Prepared): Prepared => {
  const { terms } = letter;
  const same = (['country', 'service', 'intent', 'sheets', 'envelope'] as const).every(
    (name) => terms[name] === prepared.terms[name],
  );
  if (!same) return prepared;
  const [before, now] = [supplementTo(letter), supplementTo(prepared)];
  const agreed = pricedBy(prepared.priced, terms.price);
  const today = prepared.priced.subtotal.subtotalMicro;
  const isRepriced = now > before || (now < before && today < agreed.subtotal.subtotalMicro);
  return isRepriced ? prepared : { ...prepared, priced: agreed };
};

/** When the letter is released, and until when its sender can cancel it. */
const timesOf = ({ releasedAt }: Prepared) => {
  const at = toTimestamp(releasedAt);
  return { cancellableUntil: at, releaseAt: at };
};

/** An approval is about these, because they are on the paper. */
const printed: ReadonlySet<string> = new Set(['to', 'reference']);

/** Names of what differs; empty when the letter stays as it is. */
const changedFields = (letter: ReadableLetter, prepared: Prepared): string[] =>
  (['to', 'reference', 'metadata'] as const).filter(
    (name) => JSON.stringify(letter.personal[name]) !== JSON.stringify(prepared.personal[name]),
  );

/**
 * Judges a change of a draft that is sent once it is paid, such as the draft of an order. The payment judges only by
 * the policies of the order, so a letter that the caller's policies hold is refused here.
 * @throws AppError policy_denied, approval_required, frozen
 */
const judgeUnpaid = async (
  { subtotalMicro }: { subtotalMicro: MicroUsd },
  payment: Payment,
  letter: LetterBeforeRules,
): Promise<void> => {
  const judged = await payment.judge({ subtotalMicro, guarded: { letter } }, 'fiat');
  assertAllowed(judged);
  const holds = judged.verdict.holds.filter(({ subject }) => subject !== accountSubject);
  if (holds.length > 0) throw approvalRequired(holds);
};

/**
 * Reserves what a change costs more; what it costs less is released once the change is stored. Policies judge a
 * letter that goes to another recipient, or costs more, as if it were sent now. `rests`: the letter then rests on the
 * attempt of the payment, which is undone if the change is not stored.
 */
const settleDifference = async (
  letter: ExistingLetter,
  prepared: Prepared,
  payment: Payment,
  guardedAs: { letter: LetterBeforeRules; moved: boolean },
  maxTotalMicro: MicroUsd | undefined,
): Promise<{ charge: Charge; rests: boolean }> => {
  const { subtotalMicro } = prepared.priced.subtotal;
  if (letter.status === 'draft') {
    const charge = splitCharge(subtotalMicro, 0n);
    assertWithin(totalOf(charge), maxTotalMicro);
    if (waitsForMoney(letter) && guardedAs.moved)
      await judgeUnpaid(prepared.priced.subtotal, payment, guardedAs.letter);
    return { charge, rests: false };
  }
  const before = chargeOfCents(letter.terms.price.charge);
  const difference = subtotalMicro - sum(before.subtotal);
  const { attempts } = letter;
  if (difference <= 0n) {
    const charge = reduceCharge(before, subtotalMicro);
    assertWithin(totalOf(charge), maxTotalMicro);
    const guarded = { letter: guardedAs.letter, paidMicro: totalOf(charge), attempts };
    return { charge, rests: guardedAs.moved && (await payment.count(guarded)) };
  }
  const soFarMicro = totalOf(before);
  const guarded = { letter: guardedAs.letter, paidMicro: soFarMicro, attempts };
  const wish = { subtotalMicro: difference, soFarMicro, maxTotalMicro, guarded };
  const { charge: more } = await payment.reserve(wish);
  return { charge: addCharges(before, more), rests: true };
};

export const createUpdateLetter = (ports: {
  handler: CommandHandler;
  paymentOf: Payments;
  preparing: PrepareLetter;
  indexOf: PreparePorts['indexOf'];
  clock: Clock;
  /** Whether a payer was asked for the price of the draft. Absent: never. */
  isOrdered?: (letterId: string) => Promise<boolean>;
}) => {
  const { handler, paymentOf, indexOf, clock, isOrdered = async () => false } = ports;
  const { earliestRelease, releaseAfterChange, prepare, contentOf } = ports.preparing;

  /**
   * Changes recipient, reference or metadata; settles the difference in price.
   * @throws AppError letter_not_found, letter_not_updatable, version_mismatch and those of send
   */
  return async (
    letterId: string,
    changes: LetterChanges,
    context: SendContext,
    ifMatch: bigint | undefined,
  ): Promise<{ version: bigint; position: bigint }> => {
    const { state, version } = await handler.load(letterAggregate, letterId);
    const letter = ownLetter(state, context.accountId);
    assertVersion(ifMatch, version);
    const { terms, personal } = letter;
    // Refuses before anything is checked or reserved if the letter cannot be changed.
    updateLetter(letter, { type: 'UpdateLetter', terms, personal, changed: [] });
    context.permission?.assertReaches({ ...terms, letterId });
    const input = mergeChanges(letter, await contentOf(letterId, letter), changes);
    const moved = input.to.country !== terms.country;
    const releaseAt =
      letter.releaseAt === undefined
        ? earliestRelease(input.sendDate)
        : releaseAfterChange(letter.releaseAt, { moved });
    const kept =
      letter.status === 'draft' ? {} : { kept: await keptDiscountOf(handler, letter, clock()) };
    const owner = { ...context, letterId, ...kept };
    const document = { ...letter, isPaid: letter.status !== 'draft' };
    const today = await prepare(input, owner, releaseAt, undefined, document);
    const isAgreed =
      letter.status !== 'draft' || (waitsForMoney(letter) && (await isOrdered(letterId)));
    const prepared = isAgreed ? asAgreed(letter, today) : today;
    assertPermitted(letterId, prepared, context);
    const changed = changedFields(letter, prepared);
    if (changed.length === 0) return { version, position: 0n };
    const payment = paymentOf(letterId, version, context);
    const guardedAs = {
      letter: guardedLetter(prepared, indexOf),
      moved: changed.some((name) => printed.has(name)),
    };
    const { charge, rests } = await settleDifference(
      letter,
      prepared,
      payment,
      guardedAs,
      changes.maxTotalMicro,
    );
    const command = {
      type: 'UpdateLetter' as const,
      terms: { ...prepared.terms, price: priceOf(prepared.priced, charge) },
      personal: prepared.personal,
      changed,
      ...(rests ? { attemptId: payment.attemptId } : {}),
      ...(moved && letter.status === 'queued' ? { times: timesOf(prepared) } : {}),
    };
    const decide = (current: Letter, at: bigint): LetterEvent[] => {
      assertVersion(ifMatch, at);
      if (at !== version) throw changedMeanwhile();
      return updateLetter(current, command);
    };
    const store = () => decideLetter(handler, letterId, context, decide);
    return rests ? payment.orUndo(store) : store();
  };
};
