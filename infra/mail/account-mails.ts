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
      'The keys that you have stay valid. With the new key you can list them (GET /auth/keys) and revoke those that you lost (DELETE /auth/keys/{id}).',
      'If it was not you, there is nothing to do: without the link nobody gets a key.',
      ...testNote(about.test),
    ],
    facts: [['Account', about.accountId]],
    link: { label: 'Get a new key', url: about.url },
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
}): MailText =>
  layOutMail({
    language: 'en',
    subject: inTestMode(about.test, 'Your webhook was disabled'),
    paragraphs: [
      `Your status webhook is not called any more. ${reasons[about.reason]}`,
      'Set webhook_url again (PUT /api/settings) when it works; what happened meanwhile is listed by GET /api/notifications.',
      ...testNote(about.test),
    ],
    facts: [],
  });
