import { randomUUID } from 'node:crypto';
import { keyIdsOf } from '../../commands/guards/credential-line.ts';
import type { CommandHandler } from '../../commands/handling/handle.ts';
import type { SendOptions, SendOutcome } from '../../commands/letters/accept-letter.ts';
import { createLetterPermission } from '../../commands/letters/letter-permission.ts';
import type { SendContext } from '../../commands/letters/pay-letter.ts';
import {
  type ComingPayment,
  letterIdOf,
  type SendLetterService,
} from '../../commands/letters/send-letter.ts';
import {
  type AgreedOffer,
  commitmentAggregate,
  lockedPrice,
  lockedTotal,
  ownCommitment,
} from '../../commands/negotiation/commitment.ts';
import { lockedUntil } from '../../commands/negotiation/discount-end.ts';
import type { Quotes } from '../../commands/preparation/quote.ts';
import { assertWithin } from '../../commands/wallets/max-total.ts';
import { assertUnused } from '../../commands/wallets/reserve-funds.ts';
import { walletAggregate } from '../../commands/wallets/wallet.ts';
import { AppError } from '../../contract/errors.ts';
import {
  type AnyOperation,
  type Caller,
  type OperationResult,
  operation,
  type RequestCommand,
  type TakenPayment,
} from '../../contract/operation.ts';
import { letterCaveats, totalCaveats } from '../../contract/permits.ts';
import { invalidField } from '../../contract/refusals.ts';
import { type Clock, toTimestamp } from '../../ground/clock.ts';
import type { Limits } from '../../limits/table.ts';
import { callerRefOf } from '../../limits/turn.ts';
import { type MicroUsd, microOfDecimal } from '../../money/amounts.ts';
import { chargeBy, totalOf } from '../../money/charge.ts';
import { HeldLetter, presentHeld } from '../../presenters/approval.ts';
import { DryRun } from '../../presenters/dry-run.ts';
import { presentSent } from '../../presenters/letter.ts';
import { SentLetter } from '../../presenters/letter-schemas.ts';
import { assertSends, presentDryRun } from './dry-run.ts';
import { contentOf, inputOf } from './input.ts';
import type { QuotaPort } from './quota.ts';
import { exampleLetter, SendBody, updateFields } from './schemas.ts';
import { sendContextOf } from './send-context.ts';
import { commitmentErrors, sendErrors } from './send-errors.ts';

export type SendPorts = {
  handler: CommandHandler;
  letters: Pick<
    SendLetterService,
    'prefetch' | 'judge' | 'send' | 'sendDraft' | 'price' | 'priceDraft' | 'wasObeyed' | 'repeated'
  >;
  quotes: Pick<Quotes, 'read'>;
  clock: Clock;
  limits: Limits;
  quota: QuotaPort;
  /** The page of an approval. */
  approvalUrl: (approvalId: string) => string;
};

/** @throws AppError validation_failed for a fraction of a cent that the schema let pass */
export const maxTotalOf = (maxTotal: number): MicroUsd => {
  const micro = microOfDecimal(maxTotal);
  if (micro !== undefined) return micro;
  const detail = 'max_total must be a whole number of cents.';
  throw invalidField('/max_total', 'out_of_range', detail);
};

/** The commitment, with the end that it really has. @throws AppError commitment_not_found */
const heldCommitment = async (
  handler: CommandHandler,
  ...of: Parameters<typeof ownCommitment>
): Promise<AgreedOffer> => {
  const agreed = ownCommitment(...of);
  return { ...agreed, expiresAt: await lockedUntil(handler, agreed) };
};

/** @throws AppError validation_failed, commitment_not_found */
const commitmentOf = async (
  handler: CommandHandler,
  { commitment_id = '', quote_id }: SendBody,
  accountId: string,
): Promise<AgreedOffer> => {
  if (quote_id !== undefined) throw onePrice();
  const { state } = await handler.load(commitmentAggregate, commitment_id);
  return heldCommitment(handler, state, accountId);
};

const onePrice = () =>
  invalidField(
    '/commitment_id',
    'one_of',
    'Send either quote_id or commitment_id, not both: a letter has one price.',
  );

/** @throws AppError validation_failed, quote_invalid, quote_expired, commitment_not_found */
export const sendOptionsOf = async (
  { quotes, clock, handler }: Pick<SendPorts, 'quotes' | 'clock' | 'handler'>,
  body: SendBody,
  accountId: string | undefined,
): Promise<SendOptions> => ({
  commitment:
    body.commitment_id === undefined
      ? undefined
      : await commitmentOf(handler, body, accountId ?? ''),
  quote:
    body.quote_id === undefined
      ? undefined
      : await quotes.read(body.quote_id, accountId, toTimestamp(clock())),
  maxTotalMicro: body.max_total === undefined ? undefined : maxTotalOf(body.max_total),
  draft: body.draft ?? false,
  holdWithoutFunds: body.hold_without_funds ?? false,
});

/** Only these go with `letter_id`: the rest of the letter is in the draft. */
const draftFields = new Set(['letter_id', 'quote_id', 'commitment_id', 'max_total']);
/** Left out and false are the same. */
const switches = new Set([
  'draft',
  'hold_without_funds',
  'dry_run',
  'auto_fix',
  'accept_address_as_is',
]);

const wayOut = (name: string): string => {
  if (name === 'draft') return 'The letter is a draft already, and this request would send it.';
  if (name === 'hold_without_funds') return 'A draft that the wallet does not cover stays a draft.';
  if (updateFields.has(name)) return 'Change the draft first (PATCH /api/letters/{id}).';
  return 'A draft keeps it as it is. Make a new draft to change it, and cancel this one.';
};

const assertOnlyDraftFields = (body: SendBody): void => {
  const extra = Object.entries(body)
    .filter(([name, value]) => !draftFields.has(name) && !(switches.has(name) && value === false))
    .map(([name]) => name);
  if (extra.length === 0) return;
  const ways = [...new Set(extra.map(wayOut))].join(' ');
  const detail = `${extra.join(', ')} cannot be sent with letter_id. ${ways}`;
  throw new AppError('validation_failed', detail, {
    errors: extra.map((name) => ({
      pointer: `/${name}`,
      code: 'not_with_letter_id',
      detail: `${name} cannot be sent with letter_id. ${wayOut(name)}`,
    })),
  });
};

/** @throws AppError invalid_header for a version without the draft that it is of */
const assertOfDraft = (ifMatch: bigint | undefined, { letter_id: draftId }: SendBody): void => {
  if (ifMatch === undefined || draftId !== undefined) return;
  throw new AppError(
    'invalid_header',
    'If-Match names the version of a draft. Send it with the letter_id of the draft, or leave it out.',
  );
};

/**
 * The commitment that sets the price when x402 pays for the letter, if there is one. A commitment that cannot be used in
 * this way is refused before any payment is taken.
 * @throws AppError commitment_not_found, commitment_payment_mismatch, commitment_consumed
 */
const lockedForX402 = async (
  handler: CommandHandler,
  { body: { commitment_id: commitmentId }, caller }: Pick<PricedRequest, 'body' | 'caller'>,
): Promise<AgreedOffer | undefined> => {
  if (commitmentId === undefined) return undefined;
  const { state } = await handler.load(commitmentAggregate, commitmentId);
  // The payer is unknown until there is a payment; the price is the same for everybody.
  const owner = caller?.accountId ?? (state.status === 'agreed' ? state.agreed.accountId : '');
  const agreed = await heldCommitment(handler, state, owner);
  if (agreed.paymentMethod !== 'crypto') {
    throw new AppError(
      'commitment_payment_mismatch',
      'The commitment is to be paid by fiat, but x402 pays in USDC. Pay from the wallet, or accept a new offer with payment_method crypto.',
    );
  }
  const { state: wallet } = await handler.load(walletAggregate, agreed.accountId);
  assertUnused(wallet, lockedPrice(agreed));
  return agreed;
};

/** The price when x402 pays. @throws AppError max_total_exceeded */
const totalByX402 = (
  subtotalMicro: MicroUsd,
  commitment: AgreedOffer | undefined,
  { maxTotalMicro }: SendOptions,
): MicroUsd => {
  const total = commitment ? lockedTotal(commitment) : totalOf(chargeBy('crypto', subtotalMicro));
  assertWithin(total, maxTotalMicro);
  return total;
};

/** A payment by x402: policies, quotas and the caveats of a UCAN are asked before it is taken. */
const x402By = (ports: Pick<SendPorts, 'handler'>, caller: Caller): ComingPayment => {
  const { accountId, test } = caller;
  const permission = createLetterPermission(ports, caller);
  return {
    accountId,
    test,
    actor: 'payer',
    keyIds: keyIdsOf(caller),
    bucket: 'crypto',
    permission,
  };
};

/** A request that pays for itself. */
type PricedRequest = {
  body: SendBody;
  caller: Caller | undefined;
  address: string;
  ifMatch: bigint | undefined;
};

/**
 * The x402 price of a draft. The payer is unknown until there is a payment; the price is the same for everybody.
 * Undefined: there is no such letter.
 * @throws AppError letter_not_found for another account's letter; version_mismatch, letter_not_sendable,
 * approval_pending, max_total_exceeded
 */
const priceOfDraft = async (
  ports: SendPorts,
  request: PricedRequest & { agoMs: number },
): Promise<MicroUsd | undefined> => {
  const { body, caller, address, ifMatch, agoMs } = request;
  assertOnlyDraftFields(body);
  const { commitment_id: _, letter_id: letterId = '', ...rest } = body;
  const options = await sendOptionsOf(
    ports,
    caller ? rest : { ...rest, quote_id: undefined },
    caller?.accountId ?? '',
  );
  const commitment = await lockedForX402(ports.handler, request);
  const owner = { accountId: caller?.accountId, by: callerRefOf(caller, address) };
  const price = await ports.letters.priceDraft(letterId, owner, {
    ...options,
    commitment,
    ifMatch,
    pricedAgoMs: agoMs,
    payment: caller && x402By(ports, caller),
  });
  return price && totalByX402(price.subtotalMicro, commitment, options);
};

/**
 * The price of a send that pays for itself, after every check; undefined: nothing now.
 * @throws AppError of every check of the letter; max_total_exceeded, quota_exceeded, caveat_not_met, insufficient_funds
 */
const priceOfSend = async (
  ports: SendPorts,
  request: PricedRequest & { agoMs: number; commandId: string | undefined },
): Promise<MicroUsd | undefined> => {
  const { body, caller, address, ifMatch, agoMs, commandId } = request;
  assertOfDraft(ifMatch, body);
  if (body.dry_run) return undefined;
  if (caller && !body.draft) await ports.quota.assertLeft(caller);
  if (body.letter_id !== undefined) return priceOfDraft(ports, request);
  const { commitment_id: _, ...letter } = body;
  const input = inputOf(letter, contentOf(letter, ports.limits));
  const options = await sendOptionsOf(
    ports,
    letter,
    // The payer is unknown until there is a payment; everyone who has the id of a quote can see its price.
    caller?.accountId,
  );
  const { draft, quote } = options;
  const commitment = await lockedForX402(ports.handler, request);
  const owner = {
    // A UCAN may have counted the letter, if the request did not come to its end.
    letterId: commandId === undefined ? randomUUID() : letterIdOf(commandId),
    accountId: caller?.accountId ?? '',
    by: callerRefOf(caller, address),
    test: false,
  };
  // A bad logo is reported before money is taken, but only after a payment is offered.
  const logo = caller ? {} : { logo: 'unread' as const };
  // A draft costs nothing, and policies judge it when it is sent.
  const payment = caller && !draft ? x402By(ports, caller) : undefined;
  const agreed = { quote, commitment, pricedAgoMs: agoMs, payment };
  const priced = await ports.letters.price(input, owner, { ...agreed, ...logo });
  return draft ? undefined : totalByX402(priced.subtotal.subtotalMicro, commitment, options);
};

/** Whether the command made a letter, or sent the draft that the body names. */
const wasObeyed = async (
  { letters }: SendPorts,
  commandId: string,
  { letter_id: draftId }: SendBody,
): Promise<boolean> => {
  if (await letters.wasObeyed(letterIdOf(commandId), commandId)) return true;
  return draftId !== undefined && letters.wasObeyed(draftId, commandId);
};

type SendRequest = {
  body: SendBody;
  caller: Caller;
  command: RequestCommand;
  address: string;
  payment: TakenPayment | undefined;
  ifMatch: bigint | undefined;
};

/** @throws AppError of every check of the letter, quota_exceeded, insufficient_funds */
const dryRun = async (
  ports: SendPorts,
  { body, caller, command, address, payment, ifMatch }: SendRequest,
): Promise<OperationResult> => {
  const { dry_run: _, ...send } = body;
  assertSends(send);
  if (send.letter_id !== undefined) assertOnlyDraftFields(send);
  await ports.quota.assertLeft(caller);
  const options = { ...(await sendOptionsOf(ports, send, caller.accountId)), ifMatch };
  const letter =
    send.letter_id === undefined
      ? inputOf(send, contentOf(send, ports.limits))
      : { draftId: send.letter_id };
  const context = sendContextOf(ports, caller, command, address);
  // An x402 payer pays for the dry run now, and would pay the price of the letter with the send.
  const payer = payment ? 'crypto' : 'wallet';
  const { price, judged } = await ports.letters.judge(letter, options, context, payer);
  return { status: 200, body: presentDryRun(price, judged) };
};

/** Sends the letter, or answers as at first. */
const sendOnce = async (
  ports: SendPorts,
  { body, caller, payment, ifMatch }: SendRequest,
  letterId: string,
  context: SendContext,
): Promise<SendOutcome> => {
  // A repetition comes first: its quote may have expired since.
  const isByQuote = body.quote_id !== undefined && context.repeatable;
  const repeated = isByQuote ? await ports.letters.repeated(letterId, context) : undefined;
  if (repeated) return repeated;
  const options = {
    ...(await sendOptionsOf(ports, body, caller.accountId)),
    pricedAgoMs: payment?.pricedAgoMs ?? 0,
    refuseHolds: caller.cannotWait ?? false,
    ifMatch,
  };
  if (body.letter_id !== undefined) return ports.letters.sendDraft(letterId, options, context);
  return ports.letters.send(inputOf(body, contentOf(body, ports.limits)), options, context);
};

export const sendOperation = (ports: SendPorts): AnyOperation =>
  operation({
    name: 'send_letter',
    method: 'POST',
    path: '/api/send',
    tag: 'Letters',
    summary: 'Send a letter',
    description:
      'Checks, prices, pays and queues a letter. A 201 answer means that the letter is valid, printable and paid. It is printed after the cancellation window, or on `send_date`. With `draft`, the letter is only kept; send it later by its `letter_id`, and with `If-Match` only the version that you saw. With `commitment_id`, it costs the agreed price. A letter that a policy holds answers 202: its money is reserved, and it is sent once it is approved. With `dry_run`, nothing is stored or charged: the 200 answer says what the policies decide, and what the letter costs.',
    access: 'send',
    permit: {
      about: 'letter-in-body',
      honours: [...letterCaveats, ...totalCaveats, 'max_letters'],
    },
    payable: {
      priceOf: async (request) => priceOfSend(ports, request),
      wasObeyed: async ({ commandId, body }: { commandId: string; body: SendBody }) =>
        wasObeyed(ports, commandId, body),
    },
    idempotent: true,
    conditional: true,
    upload: true,
    input: { body: SendBody(ports.limits) },
    responses: {
      200: { description: 'With `dry_run`: what the send would come to', schema: DryRun },
      201: { description: 'Queued, or kept as a draft', schema: SentLetter },
      202: { description: 'Waits for approval, as a draft', schema: HeldLetter },
    },
    errors: [
      ...(['letter_not_found', 'letter_not_sendable', 'approval_pending'] as const),
      'quota_exceeded',
      ...commitmentErrors,
      ...sendErrors,
    ],
    examples: [
      { summary: 'A letter to Germany', body: exampleLetter },
      { summary: 'What a send would come to', body: { ...exampleLetter, dry_run: true } },
      {
        summary: 'A draft that is sent now',
        body: { letter_id: '6f1c2f6e-6d0c-4f3c-9d0f-0d1c2b3a4f5e', max_total: 5 },
      },
    ],
    async handle(request) {
      const { body, caller, command, address, ifMatch } = request;
      assertOfDraft(ifMatch, body);
      if (body.dry_run) return dryRun(ports, request);
      if (!body.draft) ports.letters.prefetch(caller.accountId);
      const context = sendContextOf(ports, caller, command, address);
      if (body.letter_id !== undefined) assertOnlyDraftFields(body);
      const { letter_id: letterId = letterIdOf(command.commandId) } = body;
      const isRepeated = () => ports.letters.wasObeyed(letterId, command.commandId);
      const send = async () => {
        const outcome = await sendOnce(ports, request, letterId, context);
        // A letter that waits was sent: approving it later is no other letter.
        const isSent = outcome.status === 'queued' || outcome.approval !== undefined;
        return { ...outcome, sent: !outcome.replayed && isSent };
      };
      const { quota } = ports;
      const counted = () => (body.draft ? send() : quota.counted(caller, send, isRepeated));
      const sent = await (body.draft || body.hold_without_funds
        ? quota.drafted(caller, letterId, counted, isRepeated)
        : counted());
      const { version, position, replayed } = sent;
      const { approval } = sent;
      const answer = approval
        ? { status: 202, body: presentHeld(sent, approval, ports.approvalUrl(approval.approvalId)) }
        : { status: 201, body: presentSent(sent) };
      return { ...answer, version, position, replayed };
    },
  });
