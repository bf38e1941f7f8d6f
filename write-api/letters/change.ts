import type { LetterChanges } from '../../commands/letters/send-letter.ts';
import { type AnyOperation, operation } from '../../contract/operation.ts';
import { LetterDetail } from '../../presenters/letter-schemas.ts';
import { commandOf, freshness, type LetterContext, sendContextOf } from '../context.ts';
import { currentLetter, LetterParams } from './own-letter.ts';
import { UpdateBody } from './schemas.ts';
import { sendErrors } from './send-errors.ts';

/** A change as the caller wrote it: null removes, absent leaves. */
const changesOf = (body: UpdateBody): LetterChanges => {
  const { to_name, to_line1, to_city, to_postal_code, to_country, to_company, to_line2, to_state } =
    body;
  const given = {
    name: to_name,
    line1: to_line1,
    city: to_city,
    postalCode: to_postal_code,
    country: to_country,
    company: to_company,
    line2: to_line2,
    state: to_state,
  };
  const to = Object.fromEntries(
    Object.entries(given)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, value === null ? undefined : value]),
  );
  return {
    to,
    reference: body.reference,
    metadata: body.metadata,
    acceptAddressAsIs: body.accept_address_as_is ?? false,
  };
};

export const updateOperation = (context: LetterContext): AnyOperation =>
  operation({
    name: 'update_letter',
    method: 'PATCH',
    path: '/api/letters/{id}',
    tag: 'Letters',
    summary: 'Change recipient, reference or metadata',
    description:
      'While the letter is draft or queued. Runs the checks again and settles the difference in price.',
    access: 'send',
    conditional: true,
    input: { params: LetterParams, body: UpdateBody(context.limits) },
    responses: { 200: { description: 'The letter after the change', schema: LetterDetail } },
    examples: [{ summary: 'Another recipient', body: { to_name: 'Berta Müller' } }],
    errors: [
      'letter_not_found',
      'letter_deleted',
      'letter_not_updatable',
      'version_mismatch',
      ...sendErrors,
    ],
    async handle(request) {
      const { params, body } = request;
      const asked = { name: 'update_letter', request };
      const command = sendContextOf(context, commandOf(asked), asked);
      const { position } = await context.letters.update(
        params.id,
        changesOf(body),
        command,
        request.ifMatch,
      );
      const settled = await context.settle(params.id, commandOf(asked));
      const last = settled > position ? settled : position;
      const caughtUp = await context.waitFor(['letters', 'wallets', 'notifications'], last);
      return {
        ...(await currentLetter(context, params.id)),
        headers: freshness(caughtUp),
        position: last,
      };
    },
  });
