/**
 * The mails about a letter: confirmations by tracking class (specification, section 6) and status
 * notifications. Pure. They promise nothing that is not known.
 */
import { dollars, type Micro, wholeCents } from '../../money/amounts.ts';
import { services } from '../../postal/services.ts';
import { type Language, localeOf } from '../../postal/stationery.ts';
import { trackingUrl } from '../../postal/tracking-numbers.ts';
import type { ServiceId } from '../../postal/types.ts';
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
  /** What it cost, and is refunded when it fails or is cancelled. */
  priceMicro?: Micro | undefined;
  /** A letter of a test key: nothing was printed. */
  test?: boolean | undefined;
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
  new Intl.DateTimeFormat(localeOf(language, 'GB'), { dateStyle: 'long', timeZone: 'UTC' }).format(
    new Date(`${day}T00:00:00Z`),
  );

const windowOf = (letter: MailedLetter): string | undefined => {
  if (!letter.expectedDelivery) return undefined;
  const { earliest, latest } = letter.expectedDelivery;
  if (earliest === latest) return dateOf(latest, letter);
  return wordsOf(letter).window(dateOf(earliest, letter), dateOf(latest, letter));
};

/** A letter that is under way is expected and can be followed; one that ended is not. */
type Course = 'under_way' | 'arrived' | 'ended';

const write = (
  letter: MailedLetter,
  subject: string,
  paragraphs: readonly string[],
  course: Course = 'under_way',
): MailText => {
  const words = wordsOf(letter);
  const { name, operator } = services[letter.service];
  const { priceMicro: price } = letter;
  const refunded = course === 'ended' && price ? dollars(wholeCents(price)) : undefined;
  const number = course === 'ended' ? undefined : letter.trackingNumber;
  const url = number === undefined ? undefined : trackingUrl(letter.service, number);
  return layOutMail({
    language: letter.language ?? 'en',
    subject: letter.test ? `[TEST] ${subject}` : subject,
    paragraphs: letter.test ? [...paragraphs, words.test] : paragraphs,
    facts: [
      [words.facts.to, letter.toName && plainLine(letter.toName)],
      [words.facts.service, `${operator} ${name}`],
      [words.facts.expected, course === 'under_way' ? windowOf(letter) : undefined],
      [words.facts.number, number],
      [words.facts.reference, letter.reference && plainLine(letter.reference)],
      [words.facts.refunded, refunded],
      [words.facts.letter, letter.letterId],
    ],
    link: url === undefined ? undefined : { label: words.follow(operator), url },
  });
};

const operatorOf = (letter: MailedLetter): string => services[letter.service].operator;
const named = (letter: MailedLetter): string =>
  wordsOf(letter).letterTo(letter.toName === undefined ? undefined : plainLine(letter.toName));

const onItsWay = (letter: MailedLetter): string =>
  wordsOf(letter).onItsWay(named(letter), operatorOf(letter));

const promiseOf = (letter: MailedLetter): string => {
  const { promise } = wordsOf(letter);
  const { tracking } = services[letter.service];
  const operator = operatorOf(letter);
  if (tracking === 'none') return promise.none(operator);
  if (letter.trackingNumber !== undefined) return promise.number(operator);
  return tracking === 'sync' ? promise.missing : promise.later(operator);
};

/**
 * The confirmation that a letter was shipped, by its tracking class. Where the number is known no second
 * mail is needed.
 */
export function shippedMail(letter: MailedLetter): MailText {
  return write(letter, wordsOf(letter).shipped, [onItsWay(letter), promiseOf(letter)]);
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

/** What is said of a failure is English; in other languages it is where it failed. */
const failureOf = (
  { detail, stage }: { detail: string; stage?: FailureStage | undefined },
  { failed }: LetterWords,
): string => (stage && failed.stages?.[stage]) ?? plainLine(detail);

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
      return write(letter, subject, [told(what, operator) + given, advice], 'arrived');
    }
    case 'failed': {
      const told = words.failed.told(what, failureOf(news, words));
      return write(letter, words.failed.subject, [told, words.refunded], 'ended');
    }
    case 'cancelled': {
      const told = words.cancelled.told(what);
      return write(letter, words.cancelled.subject, [told, words.refunded], 'ended');
    }
  }
}
