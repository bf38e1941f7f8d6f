import { type Account, accountAggregate } from '../commands/accounts/account.ts';
import { creditReceiptId } from '../commands/accounts/account-money.ts';
import { refundReference } from '../commands/letters/goodwill.ts';
import { partsOfCredit, restOf } from '../commands/wallets/credits.ts';
import { walletAggregate } from '../commands/wallets/wallet.ts';
import { abilitiesOf } from '../contract/letter-status.ts';
import { numberOf } from '../ground/plural.ts';
import { dollars } from '../money/amounts.ts';
import { buckets } from '../money/buckets.ts';
import { chargeOfCents, totalOf } from '../money/charge.ts';
import { services } from '../postal/services.ts';
import type { ServiceId } from '../postal/types.ts';
import { expectedDeliveryOf } from '../presenters/expected-delivery.ts';
import { presentTracking } from '../presenters/letter.ts';
import type { LetterRecord } from '../projections/letters/query.ts';
import type { Foundation } from '../service/foundation/wing.ts';
import { findLetters, theLetter } from '../service/operating/find-letters.ts';
import { notificationsOf } from '../service/operating/notifications-of.ts';
import { expectedReleaseOf } from '../service/wings/letters.ts';
import { type CommandWork, type Print, Refused, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';
import { printLetters } from './letters.ts';
import { writeNewFile } from './new-file.ts';
import { notificationHead, notificationRow } from './notification-rows.ts';
import { table } from './table.ts';

const statusLine = ({ status, doc }: Pick<LetterRecord, 'status' | 'doc'>): string => {
  const { deliveryOutcome, returnReason, holdReason, failure, cancellation, handOver } = doc;
  return [
    `Status: ${status}`,
    status === 'draft' && holdReason ? ` (${holdReason})` : '',
    deliveryOutcome === 'returned' ? `, returned (${returnReason ?? 'no reason given'})` : '',
    status === 'processing' && handOver ? `, ${handOver.state} since ${handOver.since}` : '',
    failure ? ` (${failure.code}: ${failure.detail})` : '',
    cancellation && status !== 'cancelled' ? `, cancellation ${cancellation.status}` : '',
    doc.deleted ? ', deleted by its owner' : doc.erased ? ', erased' : '',
  ].join('');
};

const showFacts = ({ letterId, accountId, doc, status }: LetterRecord, print: Print): void => {
  const { terms } = doc;
  const { name } = services[terms.service as ServiceId];
  const tracking = presentTracking(doc);
  print(`Letter ${letterId} (${terms.test ? 'test' : 'live'})`);
  print(`Account: ${accountId}`);
  print(statusLine({ doc, status }));
  print(
    `Service: ${terms.service} (${name}), ${numberOf(terms.pages, 'page')} to ${terms.country}`,
  );
  print(`Price: ${dollars(totalOf(chargeOfCents(terms.price.charge)))}`);
  if (tracking.tracking_number !== null) {
    print(
      `Tracking: ${tracking.tracking_number} (${tracking.carrier}) ${tracking.tracking_url ?? ''}`,
    );
  } else if (tracking.tracking_class !== 'none') {
    print(`Tracking: no number yet (${tracking.carrier})`);
  }
  const { earliest, latest } = expectedDeliveryOf(doc);
  print(`Expected: ${earliest} to ${latest}`);
};

const showTimeline = ({ doc }: LetterRecord, print: Print): void => {
  const rows = doc.timeline.map(({ status, at, source, inferred, occurred_at: occurred }) => [
    ...[at, status, source, inferred ? 'inferred' : '', occurred ?? ''],
  ]);
  for (const line of table([['time', 'status', 'source', 'note', 'happened'], ...rows])) {
    print(line);
  }
};

/** The refund of a posted letter. */
const refundLine = async (
  { commands: { handler }, keys: { indexOf } }: Foundation,
  { accountId, letterId }: LetterRecord,
): Promise<string | undefined> => {
  const { state } = await handler.load(walletAggregate, accountId);
  const credits = buckets.flatMap((bucket) => {
    const id = creditReceiptId(indexOf, accountId, refundReference(letterId, bucket));
    return state.receipts.has(id) ? restOf(partsOfCredit(state, id)) : [];
  });
  if (credits.length === 0) return undefined;
  return `Refunded after posting: ${dollars(credits.reduce((a, b) => a + b))}`;
};

const showPersonal = async (
  foundation: Foundation,
  record: LetterRecord,
  print: Print,
): Promise<void> => {
  const personal = (await foundation.shared.letterReader.openLetters([record])).get(
    record.letterId,
  );
  if (!personal) {
    print('Recipient: [erased]');
    return;
  }
  const { to, reference } = personal;
  const place = `${to.postalCode} ${to.city}`;
  const lines = [to.name, to.company, to.line1, to.line2, place, to.state, to.country];
  print(`Recipient: ${lines.filter(Boolean).join(', ')}`);
  if (reference !== undefined) print(`Reference: ${reference}`);
};

const whatCanBeDone = (
  { letterId, status, doc }: LetterRecord,
  account: Pick<Account, 'status'>,
  isRefunded: boolean,
): string[] => {
  const erased = doc.erased ?? false;
  const { cancel } = abilitiesOf(status, erased);
  const posted = ['posted', 'in_transit', 'delivered'].includes(status);
  const isRefundable = posted && !isRefunded && !doc.terms.test && account.status !== 'erased';
  return [
    ...(cancel ? [`cancel ${letterId}`] : []),
    ...(erased || status === 'draft' ? [] : [`resend ${letterId}`]),
    ...(isRefundable ? [`refund ${letterId}`] : []),
    ...(doc.terms.test || ['draft', 'cancelled', 'failed'].includes(status)
      ? []
      : [`advance ${letterId} STATUS`]),
    `replay ${letterId}`,
  ];
};

const show = async (
  foundation: Foundation,
  record: LetterRecord,
  personal: boolean,
  print: Print,
): Promise<void> => {
  const { accountId, letterId } = record;
  showFacts(record, print);
  const refunded = await refundLine(foundation, record);
  if (refunded !== undefined) print(refunded);
  if (personal) await showPersonal(foundation, record, print);
  showTimeline(record, print);
  const told = await notificationsOf(foundation, { accountId, letterId, limit: 100 });
  if (told.length > 0) {
    for (const line of table([notificationHead, ...told.toReversed().map(notificationRow)]))
      print(line);
  }
  const { state: account } = await foundation.commands.handler.load(accountAggregate, accountId);
  print(`Commands: ${whatCanBeDone(record, account, refunded !== undefined).join(' | ')}`);
};

/** Writes the letter as it is, or will be, printed. */
const writePdf = async (
  foundation: Foundation,
  record: LetterRecord,
  file: string,
): Promise<void> => {
  const { letterId, doc } = record;
  const personal = await foundation.shared.letterReader.openWhole(record);
  if (!personal) throw new Refused(`Letter ${letterId} is erased, so there is nothing to print.`);
  const at = expectedReleaseOf(foundation)(record);
  const { render } = foundation.shared.documentTools;
  const pdf = await render({ letterId, terms: doc.terms, personal, at });
  await writeNewFile(file, pdf);
};

/** @throws UsageError */
const letter = (
  [name, ...rest]: string[],
  { pdf, personal = false }: { pdf?: string; personal?: boolean },
): CommandWork => {
  if (name === undefined || rest.length > 0) throw new UsageError('letter takes one LETTER');
  return async (foundation, print) => {
    if (pdf !== undefined) {
      const record = await theLetter(foundation, name);
      await writePdf(foundation, record, pdf);
      print(`Wrote letter ${record.letterId} to ${pdf}, as printed.`);
      return;
    }
    const records = await findLetters(foundation, name);
    const [only, ...others] = records;
    if (only && others.length === 0) {
      await show(foundation, only, personal, print);
      return;
    }
    printLetters(print, records);
    print(`${numberOf(records.length, 'letter')}. Give one id to see more.`);
  };
};

export const letterCommand = defineCommand({
  name: 'letter',
  usage: 'LETTER [--personal] [--pdf FILE]',
  summary: 'Shows where a letter is, what it cost, who was notified, and what can be done.',
  help: `LETTER is a letter_id, a reference or a tracking number. If several letters have the reference, they are listed.
--personal also shows the recipient and the reference.
--pdf writes the letter as printed to a new file that only you can read, and shows nothing.`,
  examples: ['letter "order 4711"', 'letter RR123456785DE', 'letter 7c1e… --pdf letter.pdf'],
  options: { personal: 'flag', pdf: 'text' },
  read: letter,
});
