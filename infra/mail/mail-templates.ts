/**
 * The mails about a letter: confirmations by tracking class (specification, section 6) and status
 * notifications. Pure. They promise nothing that is not known.
 */
import type { MicroUsd } from '../../money/amounts.ts';
import { fullNameOf, services } from '../../postal/services.ts';
import { formatDate, type Language, localeOf } from '../../postal/stationery.ts';
import { trackingUrl } from '../../postal/tracking-numbers.ts';
import type { ServiceId } from '../../postal/types.ts';
import { amountIn, dollarsIn } from './amount-words.ts';
import { type FailureStage, type LetterWords, letterWords } from './letter-words.ts';
import { layOutMail, type MailText, plainLine } from './mail-layout.ts';

export type { MailText } from './mail-layout.ts';

export type MailedLetter = {
  letterId: string;
  service: ServiceId;
  /** Absent once the letter was erased. */
  toName?: string | undefined;
  reference?: string | undefined;
  /** Days, `YYYY-MM-DD`. */
  expectedDelivery?: { earliest: string; latest: string } | undefined;
  trackingNumber?: string | undefined;
  /** Of the letter; English where it has none. */
  language?: Language | undefined;
  /** The price, which is refunded when the letter fails or is cancelled. */
  priceMicro?: MicroUsd | undefined;
  /** A letter of a test key: nothing was printed. */
  test?: boolean | undefined;
  /** The page on which the recipient follows it; absent once its link was revoked. */
  recipientPage?: string | undefined;
  /** Where the mail goes to the payer of an order, not to the letter's account. */
  order?: PaidOrder | undefined;
};

/** `amountMinor`: cents of the currency. `isTakenBack`: the payment, or a part of it, was refunded or disputed. */
type PaidOrder = {
  orderId: string;
  amountMinor: number;
  currency: string;
  page: string;
  isTakenBack?: boolean;
};

export type LetterStatusNews =
  | { status: 'posted' }
  | {
      status: 'delivered';
      evidence: 'carrier_scan' | 'signature' | 'recipient_report' | 'simulated';
    }
  /** `reason`: its code. */
  | { status: 'returned'; reason?: string | undefined }
  | { status: 'failed'; detail: string; stage?: FailureStage | undefined }
  | { status: 'cancelled' };

const wordsOf = ({ language = 'en' }: MailedLetter): LetterWords => letterWords[language];

const dateOf = (day: string, { language = 'en' }: MailedLetter): string =>
  formatDate(new Date(`${day}T00:00:00Z`), localeOf(language, 'GB'), {
    dateStyle: 'long',
    timeZone: 'UTC',
  });

const windowOf = (letter: MailedLetter): string | undefined => {
  if (!letter.expectedDelivery) return undefined;
  const { earliest, latest } = letter.expectedDelivery;
  if (earliest === latest) return dateOf(latest, letter);
  return wordsOf(letter).window(dateOf(earliest, letter), dateOf(latest, letter));
};

/** A letter that is under way is expected and can be followed; one that ended is not. */
type Course = 'under_way' | 'arrived' | 'ended';

/** The page of the payer's order, the carrier's, and the one for the recipient. */
const linksOf = (letter: MailedLetter, number: string | undefined, course: Course) => {
  const { order, recipientPage, service, test = false } = letter;
  const words = wordsOf(letter);
  const carrier = number === undefined ? undefined : trackingUrl({ service, test }, number);
  const ended = course === 'ended';
  return [
    { label: words.follow(services[service].operator), url: carrier },
    { label: words.orderPage, url: order?.page },
    { label: words.recipientPage, url: ended ? undefined : recipientPage },
  ].flatMap(({ label, url }) => (url === undefined ? [] : [{ label, url }]));
};

/** The reader's payment: the price of a letter that is refunded, or the amount of an order. */
const moneyOf = ({ order, priceMicro: price, language = 'en' }: MailedLetter, course: Course) => ({
  paid: order && amountIn(language, order.amountMinor, order.currency),
  refunded: course === 'ended' && price && !order ? dollarsIn(language, price) : undefined,
});

const write = (
  letter: MailedLetter,
  subject: string,
  paragraphs: readonly string[],
  course: Course = 'under_way',
): MailText => {
  const words = wordsOf(letter);
  const { paid, refunded } = moneyOf(letter, course);
  const number = course === 'ended' ? undefined : letter.trackingNumber;
  return layOutMail({
    language: letter.language ?? 'en',
    subject,
    test: letter.test ?? false,
    paragraphs: letter.test ? [...paragraphs, words.test] : paragraphs,
    facts: [
      [words.facts.to, letter.toName && plainLine(letter.toName)],
      [words.facts.service, fullNameOf(services[letter.service])],
      [words.facts.expected, course === 'under_way' ? windowOf(letter) : undefined],
      [words.facts.number, number],
      [words.facts.reference, letter.reference && plainLine(letter.reference)],
      [words.facts.order, letter.order?.orderId],
      [words.facts.paid, paid],
      [words.facts.refunded, refunded],
      [words.facts.letter, letter.letterId],
    ],
    links: linksOf(letter, number, course),
  });
};

const operatorOf = (letter: MailedLetter): string => services[letter.service].operator;
const named = (letter: MailedLetter): string =>
  wordsOf(letter).letterTo(letter.toName === undefined ? undefined : plainLine(letter.toName));

const onItsWay = (letter: MailedLetter): string =>
  wordsOf(letter).onItsWay(named(letter), operatorOf(letter));

/** Undefined for a test letter with a number: no carrier knows it. */
const promiseOf = (letter: MailedLetter): string | undefined => {
  const { promise } = wordsOf(letter);
  const { tracking } = services[letter.service];
  const operator = operatorOf(letter);
  if (tracking === 'none') {
    const none = promise.none(operator);
    return letter.expectedDelivery ? `${none} ${promise.expect}` : none;
  }
  if (letter.trackingNumber !== undefined) {
    return letter.test ? undefined : promise.number(operator);
  }
  return tracking === 'sync' ? promise.missing : promise.later(operator);
};

/**
 * The confirmation that a letter was shipped, by its tracking class. Where the number is known no second
 * mail is needed.
 */
export function shippedMail(letter: MailedLetter): MailText {
  const promise = promiseOf(letter);
  const told = promise === undefined ? [onItsWay(letter)] : [onItsWay(letter), promise];
  return write(letter, wordsOf(letter).shipped, told);
}

/**
 * The second mail of the async class.
 * @throws RangeError without a tracking number
 */
export function trackingReadyMail(letter: MailedLetter): MailText {
  if (letter.trackingNumber === undefined) throw new RangeError('there is no tracking number yet');
  const { ready } = wordsOf(letter);
  return write(letter, ready.subject, [ready.told(named(letter), operatorOf(letter))]);
}

/** The second mail of the async class where 24 hours have passed without a number. */
export function trackingLateMail(letter: MailedLetter): MailText {
  const { late } = wordsOf(letter);
  return write(letter, late.subject, late.told(operatorOf(letter)));
}

/** `returned_to_sender` → `returned to sender`, where we have no words for it. */
const reasonOf = (code: string, { returned }: LetterWords): string =>
  (Object.hasOwn(returned.reasons, code) ? returned.reasons[code] : undefined) ??
  plainLine(code).replaceAll('_', ' ');

/** The detail of a failure is English; mails in other languages name the stage instead. */
const failureOf = (
  { detail, stage }: { detail: string; stage?: FailureStage | undefined },
  { failed }: LetterWords,
): string => (stage && failed.stages?.[stage]) ?? plainLine(detail);

/** The price goes back to the wallet; the payer of an order paid by card. */
const refundedOf = (letter: MailedLetter): string => {
  const { payer, refunded } = wordsOf(letter);
  if (!letter.order) return refunded;
  return letter.order.isTakenBack ? payer.takenBack : payer.refunded;
};

/** The notification that a letter's status has changed. */
export function letterStatusMail(letter: MailedLetter, news: LetterStatusNews): MailText {
  const words = wordsOf(letter);
  const [what, operator] = [named(letter), operatorOf(letter)];
  switch (news.status) {
    case 'posted':
      return write(letter, words.posted, [onItsWay(letter)]);
    case 'delivered': {
      const told = `${words.delivered.told(what)} ${words.evidence[news.evidence](operator)}`;
      return write(letter, words.delivered.subject, [told], 'arrived');
    }
    case 'returned': {
      const { subject, told, reason, advice } = words.returned;
      const given = news.reason ? ` ${reason(reasonOf(news.reason, words))}` : '';
      const next = letter.order ? words.payer.returned : advice;
      return write(letter, subject, [told(what, operator) + given, next], 'arrived');
    }
    case 'failed': {
      const told = words.failed.told(what, failureOf(news, words));
      return write(letter, words.failed.subject, [told, refundedOf(letter)], 'ended');
    }
    case 'cancelled': {
      const told = words.cancelled.told(what);
      return write(letter, words.cancelled.subject, [told, refundedOf(letter)], 'ended');
    }
  }
}
