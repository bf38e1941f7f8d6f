/**
 * The mails about a letter: confirmations by tracking class (specification, section 6) and status
 * notifications. Pure. They promise nothing that is not known.
 */
import { services } from '../../postal/services.ts';
import { trackingUrl } from '../../postal/tracking-numbers.ts';
import type { ServiceId } from '../../postal/types.ts';
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
  /** A letter of a test key: nothing was printed. */
  test?: boolean | undefined;
};

export type LetterStatusNews =
  | { status: 'posted' }
  | {
      status: 'delivered';
      evidence: 'carrier_scan' | 'signature' | 'recipient_report' | 'simulated';
    }
  | { status: 'returned'; reason?: string | undefined }
  | { status: 'failed'; detail: string }
  | { status: 'cancelled' };

const dateFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
const dateOf = (day: string): string => dateFormat.format(new Date(`${day}T00:00:00Z`));

const windowOf = ({ expectedDelivery }: MailedLetter): string | undefined => {
  if (!expectedDelivery) return undefined;
  const { earliest, latest } = expectedDelivery;
  return earliest === latest ? dateOf(latest) : `${dateOf(earliest)} to ${dateOf(latest)}`;
};

const write = (letter: MailedLetter, subject: string, paragraphs: string[]): MailText => {
  const { name, operator } = services[letter.service];
  const number = letter.trackingNumber;
  const url = number === undefined ? undefined : trackingUrl(letter.service, number);
  return layOutMail({
    subject: letter.test ? `[TEST] ${subject}` : subject,
    paragraphs: letter.test
      ? [...paragraphs, 'TEST: this was a test letter; nothing was printed or posted.']
      : paragraphs,
    facts: [
      ['To', letter.toName && plainLine(letter.toName)],
      ['Service', `${operator} ${name}`],
      ['Expected delivery', windowOf(letter)],
      ['Tracking number', number],
      ['Reference', letter.reference && plainLine(letter.reference)],
      ['Letter', letter.letterId],
    ],
    link: url === undefined ? undefined : { label: `Follow it at ${operator}`, url },
  });
};

const operatorOf = (letter: MailedLetter): string => services[letter.service].operator;
const onItsWay = (letter: MailedLetter): string =>
  `Your letter was handed to ${operatorOf(letter)} and is on its way.`;

type Promised = 'none' | 'number' | 'later' | 'missing';

const trackingPromise: Record<Promised, (operator: string) => string> = {
  none: (operator) =>
    `${operator} does not track this service: there will be no tracking number and no confirmation of delivery. Expect it within the days below.`,
  number: (operator) =>
    `You can follow it at ${operator}; it may take some hours until the first scan shows.`,
  later: (operator) =>
    `${operator} assigns the tracking number after posting. We will send it to you in a second e-mail within 1 to 24 hours.`,
  missing: () =>
    'Its tracking number is not known yet. We will send it to you in a second e-mail as soon as it is.',
};

const promiseOf = (letter: MailedLetter): Promised => {
  const { tracking } = services[letter.service];
  if (tracking === 'none') return 'none';
  if (letter.trackingNumber !== undefined) return 'number';
  return tracking === 'sync' ? 'missing' : 'later';
};

/**
 * The confirmation that a letter was shipped, by its tracking class. Where the number is known no second
 * mail is needed.
 */
export function shippedMail(letter: MailedLetter): MailText {
  const promise = trackingPromise[promiseOf(letter)](operatorOf(letter));
  return write(letter, `Your letter was shipped`, [onItsWay(letter), promise]);
}

/**
 * The second mail of the async class.
 * @throws RangeError without a tracking number
 */
export function trackingReadyMail(letter: MailedLetter): MailText {
  if (letter.trackingNumber === undefined) throw new RangeError('there is no tracking number yet');
  return write(letter, `Tracking for your letter`, [
    `${operatorOf(letter)} assigned the tracking number of your letter.`,
  ]);
}

/** The second mail of the async class where 24 hours have passed without a number. */
export function trackingLateMail(letter: MailedLetter): MailText {
  return write(letter, `Tracking for your letter is late`, [
    `We promised you a tracking number. After 24 hours ${operatorOf(letter)} has not assigned one yet.`,
    'Your letter was handed over as we told you; only the number is missing. We will send it as soon as we have it. If it does not come, we cannot follow this letter.',
  ]);
}

const evidenceTexts = {
  carrier_scan: (operator: string) => `${operator} scanned it as delivered.`,
  signature: (operator: string) => `${operator} reports that it was signed for.`,
  recipient_report: () => 'The recipient reported that it arrived.',
  simulated: () => 'The delivery was simulated.',
};

const newsOf = (letter: MailedLetter, news: LetterStatusNews): [subject: string, ...string[]] => {
  const what = `Your letter`;
  const operator = operatorOf(letter);
  switch (news.status) {
    case 'posted':
      return [`${what} was posted`, onItsWay(letter)];
    case 'delivered':
      return [
        `${what} was delivered`,
        `${what} was delivered. ${evidenceTexts[news.evidence](operator)}`,
      ];
    case 'returned': {
      const reason = news.reason ? ` Reason given: ${plainLine(news.reason)}.` : '';
      return [
        `${what} came back`,
        `${operator} could not deliver your letter and returned it.${reason}`,
        'Check the address before you send it again.',
      ];
    }
    case 'failed':
      return [
        `${what} could not be sent`,
        `${what} was not posted: ${plainLine(news.detail)}`,
        'Its full price was refunded.',
      ];
    case 'cancelled':
      return [
        `${what} was cancelled`,
        `${what} was cancelled and will not be posted. Its full price was refunded.`,
      ];
  }
};

/** The notification that a letter's status has changed. */
export function letterStatusMail(letter: MailedLetter, news: LetterStatusNews): MailText {
  const [subject, ...paragraphs] = newsOf(letter, news);
  return write(letter, subject, paragraphs);
}
