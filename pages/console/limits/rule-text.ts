/** Rules of policies and their limits in words, for the console and for the page of an approval. */
import { countryIn } from '../../../postal/countries.ts';
import { fullNameOf, services } from '../../../postal/services.ts';
import type { Language } from '../../../postal/stationery.ts';
import type { ServiceId } from '../../../postal/types.ts';
import { colon } from '../../../presenters/labels.ts';
import type { PresentedWhen } from '../../../presenters/policy.ts';
import { money } from '../format.ts';
import { limitsWords } from './limits-words.ts';
import type { Policy } from './policy-form.ts';

export type Rule = Policy['rules'][number];
type Limit = NonNullable<Rule['limit']>;

/** Money or letters, as the limit counts. */
export const amountText = (count: number, { amount }: Limit, language: Language): string =>
  amount === undefined ? limitsWords[language].letters(count) : money(count, language);

export const limitText = (limit: Limit, language: Language): string => {
  const size = amountText(limit.amount ?? limit.letters ?? 0, limit, language);
  return `${size} / ${limitsWords[language].periods[limit.per]}`;
};

/** The letters that a rule is about. */
export const aboutText = (rule: Rule, language: Language): string => {
  const when = (rule.when ?? {}) as PresentedWhen;
  const { criteria, all } = limitsWords[language];
  const list = (name: string, values: readonly string[] | undefined): string[] =>
    values ? [`${name}${colon(language)} ${values.join(', ')}`] : [];
  const { recipients, known_recipient: known, price_above: above } = when;
  const parts = [
    ...list(
      criteria.countries,
      when.countries?.map((one) => countryIn(language, one)),
    ),
    ...list(
      criteria.services,
      when.services?.map((one) => fullNameOf(services[one as ServiceId])),
    ),
    ...list(criteria.intents, when.intents),
    ...list(criteria.contentTypes, when.content_types),
    ...(recipients ? [criteria.recipients(recipients.length)] : []),
    ...(known === undefined ? [] : [known ? criteria.known : criteria.unknown]),
    ...(above === undefined ? [] : [`> ${money(above, language)}`]),
  ];
  return parts.length === 0 ? all : parts.join('; ');
};
