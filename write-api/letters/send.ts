import type { SendOptions } from '../../commands/letters/send-letter.ts';
import { AppError } from '../../contract/errors.ts';
import { type AnyOperation, operation } from '../../contract/operation.ts';
import { numberToCents } from '../../money/amounts.ts';
import { presentSent } from '../../presenters/letter.ts';
import { SentLetter } from '../../presenters/letter-schemas.ts';
import { commandOf, freshness, type LetterContext, sendContextOf } from '../context.ts';
import { contentOf, inputOf } from './input.ts';
import { invalidField } from './invalid-field.ts';
import { exampleLetter, SendBody } from './schemas.ts';
import { sendErrors } from './send-errors.ts';

/** @throws AppError validation_failed for a fraction of a cent that the schema let pass */
const maxCentsOf = (maxTotal: number): bigint => {
  const cents = numberToCents(maxTotal);
  if (cents !== undefined) return cents;
  const detail = 'max_total must be a whole number of cents.';
  throw invalidField({ pointer: '/max_total', code: 'out_of_range', detail });
};

const sendOptionsOf = (context: LetterContext, body: SendBody, accountId: string): SendOptions => ({
  quote:
    body.quote_id === undefined
      ? undefined
      : context.quotes.read(body.quote_id, accountId, new Date(context.clock()).toISOString()),
  maxTotalCents: body.max_total === undefined ? undefined : maxCentsOf(body.max_total),
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

export const sendOperation = (context: LetterContext): AnyOperation =>
  operation({
    name: 'send_letter',
    method: 'POST',
    path: '/api/send',
    tag: 'Letters',
    summary: 'Send a letter',
    description:
      'Checks, prices, pays and queues a letter. 201 means valid, printable and paid. It is printed after the cancellation window, or on `send_date`. With `draft` it is only kept; a draft is sent by its `letter_id`.',
    access: 'send',
    payable: true,
    idempotent: true,
    input: { body: SendBody(context.limits) },
    responses: { 201: { description: 'Queued, or kept as a draft', schema: SentLetter } },
    errors: ['letter_not_found', 'letter_not_sendable', ...sendErrors],
    examples: [
      { summary: 'A letter to Germany', body: exampleLetter },
      {
        summary: 'A draft, now sent',
        body: { letter_id: '6f1c2f6e-6d0c-4f3c-9d0f-0d1c2b3a4f5e', max_total: 5 },
      },
    ],
    async handle(request) {
      const { body, caller } = request;
      const asked = { name: 'send_letter', request };
      const command = sendContextOf(context, commandOf(asked), asked);
      const options = sendOptionsOf(context, body, caller.accountId);
      if (body.letter_id !== undefined) assertOnlyDraftFields(body);
      const sent =
        body.letter_id === undefined
          ? await context.letters.send(inputOf(body, contentOf(body)), options, command)
          : await context.letters.sendDraft(body.letter_id, options, command);
      const caughtUp = await context.waitFor(['letters', 'wallets'], sent.position);
      return {
        status: 201,
        body: presentSent(sent),
        headers: freshness(caughtUp),
        version: sent.version,
        position: sent.position,
        replayed: sent.replayed,
      };
    },
  });
