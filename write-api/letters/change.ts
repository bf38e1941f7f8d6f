import type { CommandHandler } from '../../commands/handling/handle.ts';
import type { SendLetterService } from '../../commands/letters/send-letter.ts';
import type { LetterChanges } from '../../commands/letters/update-letter.ts';
import { type AnyOperation, operation } from '../../contract/operation.ts';
import { letterCaveats } from '../../contract/permits.ts';
import type { Limits } from '../../limits/table.ts';
import { LetterDetail } from '../../presenters/letter-schemas.ts';
import {
  assertNotPrinted,
  currentLetter,
  LetterParams,
  type MayBePrinted,
  type ReadLetter,
  type SettleWallet,
  settledAt,
  shown,
} from './own-letter.ts';
import { UpdateBody } from './schemas.ts';
import { maxTotalOf } from './send.ts';
import { sendContextOf } from './send-context.ts';
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
    maxTotalMicro: body.max_total === undefined ? undefined : maxTotalOf(body.max_total),
  };
};

export type ChangePorts = {
  handler: CommandHandler;
  letters: Pick<SendLetterService, 'update'>;
  settle: SettleWallet;
  readLetter: ReadLetter;
  mayBePrinted: MayBePrinted;
  limits: Limits;
};

export const updateOperation = (ports: ChangePorts): AnyOperation =>
  operation({
    name: 'update_letter',
    method: 'PATCH',
    path: '/api/letters/{id}',
    tag: 'Letters',
    summary: 'Change recipient, reference or metadata',
    description:
      'Works while the letter is a draft or queued. Runs the checks again and settles the difference in price.',
    access: 'send',
    permit: { about: 'letter-in-path', honours: letterCaveats },
    payable: 'to-identify',
    conditional: true,
    input: { params: LetterParams, body: UpdateBody(ports.limits) },
    responses: { 200: { description: 'The letter after the change', schema: LetterDetail } },
    examples: [{ summary: 'Another recipient', body: { to_name: 'Berta Müller' } }],
    errors: ['letter_not_found', 'letter_deleted', 'letter_not_updatable', ...sendErrors],
    async handle({ params, body, caller, command, ifMatch, address }) {
      await assertNotPrinted(ports, params.id, caller.accountId);
      const { position } = await ports.letters.update(
        params.id,
        changesOf(body),
        sendContextOf(ports, caller, command, address),
        ifMatch,
      );
      const last = await settledAt(ports, params.id, position, command);
      return { ...shown(await currentLetter(ports, params.id)), position: last };
    },
  });
