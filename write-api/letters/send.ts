import { randomUUID } from 'node:crypto';
import type { CommandHandler } from '../../commands/handling/handle.ts';
import type { SendOptions } from '../../commands/letters/accept-letter.ts';
import { letterIdOf, type SendLetterService } from '../../commands/letters/send-letter.ts';
import type { Quotes } from '../../commands/preparation/quote.ts';
import { type Clock, toTimestamp } from '../../contract/clock.ts';
import { AppError } from '../../contract/errors.ts';
import type { Limits } from '../../contract/limits.ts';
import { type AnyOperation, type Caller, operation } from '../../contract/operation.ts';
import { letterCaveats, totalCaveats } from '../../contract/permits.ts';
import { decimalOf, dollars, type Micro, microOfDecimal } from '../../money/amounts.ts';
import { splitCharge, totalOf } from '../../money/charge.ts';
import { presentSent } from '../../presenters/letter.ts';
import { SentLetter } from '../../presenters/letter-schemas.ts';
import { invalidField } from '../invalid-field.ts';
import { contentOf, inputOf } from './input.ts';
import { exampleLetter, SendBody } from './schemas.ts';
import { sendContextOf } from './send-context.ts';
import { sendErrors } from './send-errors.ts';

export type SendPorts = {
  handler: CommandHandler;
  letters: Pick<SendLetterService, 'send' | 'sendDraft' | 'prepare' | 'exists'>;
  quotes: Pick<Quotes, 'read'>;
  clock: Clock;
  limits: Limits;
  /** Refuse what is above the quota of the account. @throws AppError quota_exceeded */
  quota: {
    assertMaySend(sender: { accountId: string; test: boolean }): Promise<void>;
    assertMayDraft(sender: { accountId: string; test: boolean }): Promise<void>;
  };
};

/** @throws AppError validation_failed for a fraction of a cent that the schema let pass */
const maxTotalOf = (maxTotal: number): Micro => {
  const micro = microOfDecimal(maxTotal);
  if (micro !== undefined) return micro;
  const detail = 'max_total must be a whole number of cents.';
  throw invalidField({ pointer: '/max_total', code: 'out_of_range', detail });
};

/** @throws AppError validation_failed, quote_invalid, quote_expired */
export const sendOptionsOf = async (
  { quotes, clock }: Pick<SendPorts, 'quotes' | 'clock'>,
  body: SendBody,
  accountId: string,
): Promise<SendOptions> => ({
  quote:
    body.quote_id === undefined
      ? undefined
      : await quotes.read(body.quote_id, accountId, toTimestamp(clock())),
  maxTotalMicro: body.max_total === undefined ? undefined : maxTotalOf(body.max_total),
  draft: body.draft ?? false,
  holdWithoutFunds: body.hold_without_funds ?? false,
});

/** Only these go with `letter_id`: the rest of the letter is in the draft. */
const draftFields = new Set(['letter_id', 'quote_id', 'max_total']);

const assertOnlyDraftFields = (body: SendBody): void => {
  const extra = Object.keys(body).filter((name) => !draftFields.has(name));
  if (extra.length === 0) return;
  const detail = `${extra.join(', ')} cannot be given with letter_id: change the draft first (PATCH /api/letters/{id}).`;
  throw new AppError('validation_failed', detail, {
    errors: extra.map((name) => ({ pointer: `/${name}`, code: 'not_with_letter_id', detail })),
  });
};

/** @throws AppError max_total_exceeded */
export const assertWithin = (total: Micro, maxTotalMicro: Micro | undefined): void => {
  if (maxTotalMicro === undefined || total <= maxTotalMicro) return;
  throw new AppError(
    'max_total_exceeded',
    `The price is ${dollars(total)}, above max_total ${dollars(maxTotalMicro)}; raise max_total or choose a cheaper service.`,
    { extra: { total: decimalOf(total), currency: 'USD' } },
  );
};

/** More than any wallet has, so that all of a price is paid from crypto. */
const onlyCrypto = 1n << 62n;

/**
 * What a send costs that is paid by itself, after every check; undefined: nothing now.
 * @throws AppError of every check of the letter; max_total_exceeded
 */
const priceOfSend = async (
  ports: SendPorts,
  body: SendBody,
  caller: Caller | undefined,
): Promise<Micro | undefined> => {
  if (body.letter_id !== undefined) {
    assertOnlyDraftFields(body);
    return undefined;
  }
  const input = inputOf(body, contentOf(body, ports.limits));
  const { draft, maxTotalMicro, quote } = await sendOptionsOf(
    ports,
    caller ? body : { ...body, quote_id: undefined },
    caller?.accountId ?? '',
  );
  const owner = { letterId: randomUUID(), accountId: caller?.accountId ?? '', test: false };
  const { priced } = await ports.letters.prepare(input, owner, quote);
  if (draft) return undefined;
  const total = totalOf(splitCharge(priced.subtotal.subtotalMicro, onlyCrypto));
  assertWithin(total, maxTotalMicro);
  return total;
};

export const sendOperation = (ports: SendPorts): AnyOperation =>
  operation({
    name: 'send_letter',
    method: 'POST',
    path: '/api/send',
    tag: 'Letters',
    summary: 'Send a letter',
    description:
      'Checks, prices, pays and queues a letter. 201 means valid, printable and paid. It is printed after the cancellation window, or on `send_date`. With `draft` it is only kept; a draft is sent by its `letter_id`.',
    access: 'send',
    permit: {
      about: 'letter-in-body',
      honours: [...letterCaveats, ...totalCaveats, 'max_letters'],
    },
    payable: {
      priceOf: async ({ body, caller }) => priceOfSend(ports, body, caller),
      wasObeyed: async (commandId) => ports.letters.exists(letterIdOf(commandId)),
    },
    idempotent: true,
    upload: true,
    showsIn: ['letters', 'wallets'],
    input: { body: SendBody(ports.limits) },
    responses: { 201: { description: 'Queued, or kept as a draft', schema: SentLetter } },
    errors: ['letter_not_found', 'letter_not_sendable', 'quota_exceeded', ...sendErrors],
    examples: [
      { summary: 'A letter to Germany', body: exampleLetter },
      {
        summary: 'A draft, now sent',
        body: { letter_id: '6f1c2f6e-6d0c-4f3c-9d0f-0d1c2b3a4f5e', max_total: 5 },
      },
    ],
    async handle({ body, caller, command }) {
      const context = sendContextOf(ports, caller, command);
      const options = await sendOptionsOf(ports, body, caller.accountId);
      if (body.letter_id !== undefined) assertOnlyDraftFields(body);
      if (body.draft || body.hold_without_funds) await ports.quota.assertMayDraft(caller);
      if (!body.draft) await ports.quota.assertMaySend(caller);
      const sent =
        body.letter_id === undefined
          ? await ports.letters.send(inputOf(body, contentOf(body, ports.limits)), options, context)
          : await ports.letters.sendDraft(body.letter_id, options, context);
      const { version, position, replayed } = sent;
      return { body: presentSent(sent), version, position, replayed };
    },
  });
