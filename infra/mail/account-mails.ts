/** The mails about an account: recovery link, credits, webhook. Pure. English where no language is named. */

import type { ConfirmedAddress } from '../../commands/accounts/confirmation.ts';
import type { CreditReason } from '../../events/order.ts';
import type { MicroUsd } from '../../money/amounts.ts';
import { formatDate, type Language, localeOf } from '../../postal/stationery.ts';
import { creditReasonTexts } from '../../presenters/credit-reasons.ts';
import { accountWords } from './account-words.ts';
import { dollarsIn } from './amount-words.ts';
import { layOutMail, type MailText, plainLine } from './mail-layout.ts';

type About = { test: boolean; language?: Language | undefined };

const wordsFor = ({ test, language = 'en' }: About) => {
  const words = accountWords[language];
  return { language, words, testNote: test ? [words.test] : [] };
};

type Linked = About & {
  accountId: string;
  /** The link, with the token after `#`. */
  url: string;
};

/** A mail of a few sentences and one link. */
const mailWithLink = (
  about: Linked,
  { subject, told, link }: { subject: string; told: readonly string[]; link: string },
): MailText => {
  const { language, words, testNote } = wordsFor(about);
  return layOutMail({
    language,
    subject,
    test: about.test,
    paragraphs: [...told, ...testNote],
    facts: [[words.account, about.accountId]],
    links: [{ label: link, url: about.url }],
  });
};

export const recoveryMail = (about: Linked): MailText =>
  mailWithLink(about, wordsFor(about).words.recovery);

export const signInMail = (about: Linked): MailText =>
  mailWithLink(about, wordsFor(about).words.signIn);

/** Asks whether the address is right. It contains no text from callers, because anybody can name its recipient. */
export const confirmMail = (about: Linked & { address: ConfirmedAddress }): MailText => {
  const { confirm } = wordsFor(about).words;
  return mailWithLink(about, { ...confirm, told: confirm[about.address] });
};

/**
 * Tells the address before that the account has another one, which it does not name.
 * @param until when the link ends, RFC 3339
 */
export const emailChangedMail = (about: Linked & { until: string }): MailText => {
  const { language, words } = wordsFor(about);
  const { emailChanged } = words;
  const until = formatDate(new Date(about.until), localeOf(language, 'GB'), {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  });
  return mailWithLink(about, { ...emailChanged, told: emailChanged.told(`${until} UTC`) });
};

/** Money that came in or was taken back, and the balance now. */
type MovedMoney = About & {
  accountId: string;
  amountMicro: MicroUsd;
  balanceMicro: MicroUsd;
  method: string;
  reference: string | undefined;
};

/**
 * `orderId`: the order that the money was paid for; the money is held for the letter of the order. `isReinstated`: it is no
 * new payment, but had been taken back before.
 */
type Credit = MovedMoney & { orderId?: string | undefined; isReinstated?: boolean };

/** Amounts are shown in cents, rounded down. */
export const walletCreditedMail = (about: Credit): MailText => {
  const { language, words, testNote } = wordsFor(about);
  const { facts, methods, reinstated } = words.credited;
  const method = methods[about.method] ?? plainLine(about.method).replaceAll('_', ' ');
  const { subject, told } = about.orderId === undefined ? words.credited : words.orderPaid;
  const amount = dollarsIn(language, about.amountMicro);
  return layOutMail({
    language,
    subject: subject(amount),
    test: about.test,
    paragraphs: [
      [told(amount), ...(about.isReinstated ? [reinstated] : [])].join(' '),
      ...testNote,
    ],
    facts: [
      [facts.amount, amount],
      [words.order, about.orderId],
      [facts.available, dollarsIn(language, about.balanceMicro)],
      [facts.method, about.isReinstated ? undefined : method],
      [facts.reference, about.reference && plainLine(about.reference)],
      [words.account, about.accountId],
    ],
  });
};

/** A balance below zero is named, because no letter is sent until it is made good. */
export const walletChargedBackMail = (about: MovedMoney): MailText => {
  const { language, words, testNote } = wordsFor(about);
  const { facts } = words.credited;
  const { subject, told, reasons, belowZero } = words.chargedBack;
  const amount = dollarsIn(language, about.amountMicro);
  const reason = reasons[about.method] ?? [];
  return layOutMail({
    language,
    subject: subject(amount),
    test: about.test,
    paragraphs: [
      [told(amount), ...reason].join(' '),
      ...(about.balanceMicro < 0n ? [belowZero] : []),
      ...testNote,
    ],
    facts: [
      [facts.amount, amount],
      [facts.available, dollarsIn(language, about.balanceMicro)],
      [facts.reference, about.reference && plainLine(about.reference)],
      [words.account, about.accountId],
    ],
  });
};

/** A charge for letters that a volume contract lacks. A balance below zero is named, as above. */
export const contractBreachedMail = (
  about: About & {
    accountId: string;
    contractId: string;
    committedUnits: number;
    units: number;
    billedMicro: MicroUsd;
    balanceMicro: MicroUsd;
  },
): MailText => {
  const { language, words, testNote } = wordsFor(about);
  const { facts } = words.credited;
  const { subject, told, ...names } = words.breached;
  const amount = dollarsIn(language, about.billedMicro);
  return layOutMail({
    language,
    subject: subject(amount),
    test: about.test,
    paragraphs: [
      told(amount),
      ...(about.balanceMicro < 0n ? [words.chargedBack.belowZero] : []),
      ...testNote,
    ],
    facts: [
      [facts.amount, amount],
      [facts.available, dollarsIn(language, about.balanceMicro)],
      [names.contract, about.contractId],
      [names.agreed, String(about.committedUnits)],
      [names.counted, String(about.units)],
      [words.account, about.accountId],
    ],
  });
};

/** The price of the letter is in the wallet, and its account decides what the payer gets. */
export const orderCreditedMail = (
  about: About & {
    accountId: string;
    orderId: string;
    letterId: string;
    priceMicro: MicroUsd;
    reason: CreditReason;
  },
): MailText => {
  const { language, words, testNote } = wordsFor(about);
  const { subject, told, advice } = words.orderCredited;
  const reason = creditReasonTexts[language][about.reason];
  return layOutMail({
    language,
    subject,
    test: about.test,
    paragraphs: [`${told} ${reason}`, advice, ...testNote],
    facts: [
      [words.order, about.orderId],
      [words.letter, about.letterId],
      [words.credited.facts.amount, dollarsIn(language, about.priceMicro)],
      [words.account, about.accountId],
    ],
  });
};

export const webhookDisabledMail = (
  about: About & {
    accountId: string;
    reason: 'gone' | 'failing';
    /** Of an audit webhook; absent: the status webhook. */
    subscriptionId?: string;
  },
): MailText => {
  const { language, words, testNote } = wordsFor(about);
  const { webhook } = words;
  const { subscriptionId: id } = about;
  const reason = webhook.reasons[about.reason];
  return layOutMail({
    language,
    subject: id === undefined ? webhook.subject : webhook.auditSubject,
    test: about.test,
    paragraphs: [
      ...(id === undefined
        ? [webhook.told(reason), webhook.advice]
        : [webhook.auditTold(id, reason), webhook.auditAdvice]),
      ...testNote,
    ],
    facts: [[words.account, about.accountId]],
  });
};
