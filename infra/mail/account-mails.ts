/** The mails about an account: recovery link, credits, webhook. Pure. */
import { dollars, type Micro, wholeCents } from '../../money/amounts.ts';
import { layOutMail, type MailText, plainLine } from './mail-layout.ts';

const inTestMode = (test: boolean, subject: string): string =>
  test ? `[TEST] ${subject}` : subject;

const testNote = (test: boolean): string[] =>
  test ? ['TEST: this is about a test account; its money is not real.'] : [];

/** @param url with the token behind `#` */
export const recoveryMail = (about: { url: string; test: boolean; accountId: string }): MailText =>
  layOutMail({
    language: 'en',
    subject: inTestMode(about.test, 'A new API key for your account'),
    paragraphs: [
      'Somebody asked to register this e-mail address, which has an account already. If you lost its API key, the link below gives you a new one. It works once, for one hour.',
      'It confirms that the address is yours, and ends all other keys of the account unless you say otherwise.',
      'If it was not you, there is nothing to do: without the link nobody gets a key.',
      ...testNote(about.test),
    ],
    facts: [['Account', about.accountId]],
    link: { label: 'Get a new key', url: about.url },
  });

/**
 * Asks whether the address is right. Every word is ours: it goes to whoever somebody named.
 * @param url with the token behind `#`
 */
export const confirmMail = (about: {
  url: string;
  test: boolean;
  own: boolean;
  accountId: string;
}): MailText =>
  layOutMail({
    language: 'en',
    subject: inTestMode(about.test, 'Please confirm your e-mail address'),
    paragraphs: [
      about.own
        ? 'This e-mail address was registered for an account that sends letters by post. If it was you, confirm it with the link below, and say there which API keys are yours.'
        : 'An account that sends letters by post wants to write to this e-mail address about its letters. If that is right, confirm it with the link below.',
      about.own
        ? 'If it was not you, there is nothing to do. Should you want an account yourself, register the address again: the link that you get then ends all keys that others made.'
        : 'If it was not you, there is nothing to do: you get no mails from the account.',
      ...testNote(about.test),
    ],
    facts: [['Account', about.accountId]],
    link: { label: 'Confirm the address', url: about.url },
  });

/** What was credited, and what can be spent since. The reference is the sender's or the receipt's. */
export type Credit = {
  accountId: string;
  amountMicro: Micro;
  balanceMicro: Micro;
  method: string;
  reference: string;
  test: boolean;
};

/** Amounts are shown in cents, rounded down. */
export const walletCreditedMail = (about: Credit): MailText => {
  const amount = dollars(wholeCents(about.amountMicro));
  return layOutMail({
    language: 'en',
    subject: inTestMode(about.test, `Your wallet was credited with ${amount}`),
    paragraphs: [`${amount} were added to your wallet.`, ...testNote(about.test)],
    facts: [
      ['Amount', amount],
      ['Available now', dollars(wholeCents(about.balanceMicro))],
      ['Paid by', plainLine(about.method).replaceAll('_', ' ')],
      ['Reference', plainLine(about.reference)],
      ['Account', about.accountId],
    ],
  });
};

const reasons = {
  gone: 'Its address answered 410 (gone).',
  failing: 'Every attempt to reach it failed for five days.',
};

export const webhookDisabledMail = (about: {
  reason: keyof typeof reasons;
  test: boolean;
  /** Of an audit webhook; absent: the status webhook. */
  subscriptionId?: string;
}): MailText =>
  layOutMail({
    language: 'en',
    subject: inTestMode(
      about.test,
      about.subscriptionId === undefined
        ? 'Your webhook was disabled'
        : 'An audit webhook was disabled',
    ),
    paragraphs: [
      ...(about.subscriptionId === undefined
        ? [
            `Your status webhook is not called any more. ${reasons[about.reason]}`,
            'Set webhook_url again (PUT /api/settings) when it works; what happened meanwhile is listed by GET /api/notifications.',
          ]
        : [
            `Your audit webhook ${about.subscriptionId} is not called any more. ${reasons[about.reason]}`,
            'Register its URL again (POST /api/identity/audit/subscribe) when it works; what was not delivered can be replayed.',
          ]),
      ...testNote(about.test),
    ],
    facts: [],
  });
