/** The facts that rules judge, taken from a letter that was checked and priced. */
import type { LetterPersonal, LetterTerms } from '../../events/letter.ts';
import type { GuardedLetter } from '../policies/evaluate.ts';

type Recipient = LetterPersonal['to'];

const plain = (text = ''): string =>
  text.normalize('NFKC').toLowerCase().replaceAll(/\s+/gu, ' ').trim();

/**
 * Keyed digest of a normalised name and address, by which a rule knows a recipient without storing it. The state is
 * left out: it follows from the postal code.
 */
export const recipientDigest = (
  indexOf: (kind: string, value: string) => string,
  accountId: string,
  { name, company, line1, line2, postalCode, city, country }: Recipient,
): string => {
  const parts = [name, company, line1, line2, postalCode, city, country].map(plain);
  return indexOf('recipient', [accountId, ...parts].join('\n'));
};

/** The part of a letter that is known when it is priced. */
export type PricedTerms = {
  terms: Pick<LetterTerms, 'accountId' | 'country' | 'service' | 'intent' | 'kind'>;
  personal: Pick<LetterPersonal, 'to'>;
};

/** A letter for rules, before it is asked whether the account wrote to its recipient. */
export type LetterBeforeRules = Omit<GuardedLetter, 'isKnownRecipient'>;

export const guardedLetter = (
  { terms, personal }: PricedTerms,
  indexOf: (kind: string, value: string) => string,
): LetterBeforeRules => ({
  country: terms.country,
  service: terms.service,
  intent: terms.intent,
  contentKind: terms.kind ?? 'text',
  recipient: () => recipientDigest(indexOf, terms.accountId, personal.to),
});
