import { accountAggregate } from '../commands/accounts/account.ts';
import type { SendOutcome } from '../commands/letters/accept-letter.ts';
import { letterAggregate } from '../commands/letters/letter.ts';
import { ownLetter, type ReadableLetter } from '../commands/letters/own-letter.ts';
import type { SendContext } from '../commands/letters/pay-letter.ts';
import { resendInput } from '../commands/letters/resend-letter.ts';
import { letterIdOf } from '../commands/letters/send-letter.ts';
import type { LetterContent, LetterInput } from '../commands/preparation/letter-input.ts';
import { assertAllowed, reserveFunds } from '../commands/wallets/reserve-funds.ts';
import { letterPurpose } from '../events/wallet.ts';
import { uuidv5 } from '../ground/uuid.ts';
import { dollars } from '../money/amounts.ts';
import { sum } from '../money/buckets.ts';
import { chargeOfCents, totalOf } from '../money/charge.ts';
import { countryCodes } from '../postal/types.ts';
import type { Foundation } from '../service/foundation/wing.ts';
import { theLetter } from '../service/operating/find-letters.ts';
import { type CommandWork, Refused, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';
import { refundPosted, walletAfterRefund } from './refund.ts';

/** The new letter is sent at once, or not at all. */
const sending = { draft: false, holdWithoutFunds: false };

type Address = LetterInput['to'];

/** The options that correct the address. */
const fieldOf = {
  name: 'name',
  company: 'company',
  line1: 'line1',
  line2: 'line2',
  city: 'city',
  state: 'state',
  'postal-code': 'postalCode',
  country: 'country',
} as const satisfies Record<string, keyof Address>;

type AddressOptions = { [K in keyof typeof fieldOf]?: string };
type Options = AddressOptions & { draft?: boolean; free?: boolean };

const changesOf = (options: AddressOptions): Partial<Address> => {
  const { country } = options;
  if (country !== undefined && !countryCodes.some((code) => code === country)) {
    throw new UsageError(`--country ${country} is not one of ${countryCodes.join(', ')}`);
  }
  const given = Object.entries(fieldOf).flatMap(([option, field]) => {
    const value = options[option as keyof AddressOptions];
    return value === undefined ? [] : [[field, value] as const];
  });
  return Object.fromEntries(given) as Partial<Address>;
};

/** The content that was sent. A document that was fixed is sent as it came. */
const contentOf = async (
  { commands: { files } }: Foundation,
  letterId: string,
  { terms, personal }: ReadableLetter,
): Promise<LetterContent> => {
  const { content, contentBlob, originalBlob = contentBlob } = personal;
  if (terms.kind === 'pdf') {
    return { kind: 'pdf', source: await files.get(letterId, originalBlob ?? '') };
  }
  const stored = contentBlob === undefined ? undefined : await files.get(letterId, contentBlob);
  const text = stored?.toString('utf8') ?? content ?? '';
  return terms.kind === 'html' ? { kind: 'html', html: text } : { kind: 'text', text };
};

/** @throws Refused */
const assertMaySend = async ({ commands }: Foundation, accountId: string): Promise<void> => {
  const { state } = await commands.handler.load(accountAggregate, accountId);
  if (state.blocked !== undefined) {
    throw new Refused(`${accountId} is blocked and cannot send. Unblock it first.`);
  }
};

const refundedBefore = (letterId: string): Refused =>
  new Refused(
    `Letter ${letterId} was already refunded. Send it again without --free: the refund pays for it.`,
  );

/**
 * Finds every reason why the new letter would be refused, before money moves.
 * @throws Refused where the old letter was paid back before; AppError as a send does
 */
const assertRefundPays = async (
  foundation: Foundation,
  letterId: string,
  input: LetterInput,
  context: SendContext,
): Promise<void> => {
  const { letters } = foundation.shared;
  const { judged } = await letters.judge(input, sending, context, 'unasked');
  assertAllowed(judged);
  const wallet = await walletAfterRefund(foundation, letterId);
  if (!wallet) throw refundedBefore(letterId);
  reserveFunds(wallet, {
    type: 'ReserveFunds',
    purpose: letterPurpose(letterIdOf(context.commandId)),
    attemptId: context.commandId,
    subtotalMicro: sum(judged.charge.subtotal),
  });
};

/** @throws Refused where it was paid back before */
const refundFirst = async (foundation: Foundation, letterId: string): Promise<bigint> => {
  const { creditedMicro } = await refundPosted(foundation, letterId);
  if (creditedMicro > 0n) return creditedMicro;
  throw refundedBefore(letterId);
};

const outcomeOf = ({ status, approval }: SendOutcome, price: string): string => {
  if (approval) return `waiting for approval ${approval.approvalId}, for ${price}`;
  return status === 'draft'
    ? `kept as a draft that costs ${price} when it is sent`
    : `sent for ${price}`;
};

/** Whether the letter was sent again by this command before. */
const wasSent = ({ shared }: Foundation, commandId: string): Promise<boolean> =>
  shared.letters.wasObeyed(letterIdOf(commandId), commandId);

/**
 * The same address twice makes one new letter, which can itself be sent again. Its id is derived from a keyed hash, so
 * that it confirms no guessed recipient.
 */
const requestOf = async (foundation: Foundation, letterId: string, wish: string) => {
  const requestHash = foundation.keys.indexOf('resend', `${letterId}\n${wish}`);
  // Earlier versions hashed the address without a key.
  const earlier = { commandId: uuidv5(letterId, `resend\n${wish}`), requestHash };
  if (await wasSent(foundation, earlier.commandId)) return earlier;
  return { commandId: uuidv5(letterId, `resend\n${requestHash}`), requestHash };
};

/** @throws UsageError */
const resend = ([name, ...rest]: string[], options: Options): CommandWork => {
  if (name === undefined || rest.length > 0) throw new UsageError('resend takes one LETTER');
  const { draft = false, free = false, ...address } = options;
  if (draft && free)
    throw new UsageError('--free cannot be used with --draft, which costs nothing');
  const changes = changesOf(address);
  return async (foundation, print) => {
    const { commands, config } = foundation;
    const { letterId, accountId } = await theLetter(foundation, name);
    await assertMaySend(foundation, accountId);
    const { state } = await commands.handler.load(letterAggregate, letterId);
    const letter = ownLetter(state, accountId);
    if (letter.status === 'draft') {
      throw new Refused(`Letter ${letterId} is a draft. Its owner can send it as it is.`);
    }
    const { terms, personal } = letter;
    const { letters } = foundation.shared;
    const { logoBlob } = personal.stationery ?? {};
    const logo = logoBlob === undefined ? undefined : await commands.files.get(letterId, logoBlob);
    const content = await contentOf(foundation, letterId, letter);
    const input = resendInput({ letterId, terms, personal, content, logo }, changes, config.limits);
    const request = await requestOf(foundation, letterId, JSON.stringify([input.to, draft]));
    const owner = { accountId, test: terms.test };
    const context = { ...owner, ...request, actor: 'operator', repeatable: true };
    if (free && !(await wasSent(foundation, request.commandId))) {
      await assertRefundPays(foundation, letterId, input, context);
      const back = await refundFirst(foundation, letterId);
      print(`Refunded ${dollars(back)} for letter ${letterId}.`);
    }
    const sent = await letters.send(input, { ...sending, draft }, context);
    const price = dollars(totalOf(chargeOfCents(sent.terms.price.charge)));
    const what = outcomeOf(sent, price);
    print(
      sent.replayed
        ? `Letter ${letterId} was already sent again, as letter ${sent.letterId}; nothing was changed.`
        : `Letter ${letterId} is ${what}, as letter ${sent.letterId}.`,
    );
    for (const warning of sent.replayed ? [] : sent.personal.warnings) print(`  ${warning.detail}`);
  };
};

export const resendCommand = defineCommand({
  name: 'resend',
  usage:
    'LETTER [--name TEXT] [--company TEXT] [--line1 TEXT] [--line2 TEXT] [--city TEXT] [--state TEXT] [--postal-code TEXT] [--country CODE] [--draft | --free]',
  summary: 'Sends a letter again as a new letter, with its address or a corrected one.',
  help: `The account pays today's price for the new letter. --free first refunds the posted letter (see refund), and the refund pays. --draft keeps the new letter as a draft for its owner to send.
The options replace parts of the recipient's address, which is checked as in a send. The metadata of the new letter name the old one as resend_of. The same letter is sent again to the same address only once; the new letter can be sent again itself.`,
  examples: ['resend 7c1e… --line1 "Neue Straße 5" --postal-code 10117 --free'],
  options: {
    name: 'text',
    company: 'text',
    line1: 'text',
    line2: 'text',
    city: 'text',
    state: 'text',
    'postal-code': 'text',
    country: 'text',
    draft: 'flag',
    free: 'flag',
  },
  read: resend,
});
