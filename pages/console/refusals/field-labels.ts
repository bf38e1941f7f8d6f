/** The fields of forms by the place in a request that a finding names, and their labels on the pages. */
import type { Language } from '../../../postal/stationery.ts';
import { addressLabels, addressParts } from '../address-fields.ts';
import { approvalsWords } from '../approvals/approvals-words.ts';
import { contractsWords } from '../contracts/contracts-words.ts';
import { dataWords } from '../data/data-words.ts';
import { keysWords } from '../keys/keys-words.ts';
import { limitsWords } from '../limits/limits-words.ts';
import { settingsWords } from '../settings/settings-words.ts';
import { statisticsWords } from '../statistics/statistics-words.ts';
import { topUpWords } from '../top-up/top-up-words.ts';
import { webhooksWords } from '../webhooks/webhooks-words.ts';
import { writeWords } from '../write/write-words.ts';

/** Fields whose name in the form is not the last word of their place. */
const otherNames: Readonly<Record<string, string>> = {
  document: 'file',
  expires_at: 'expires',
  'rules/when/countries': 'country',
  'rules/limit': 'amount',
};

/** Without the numbers of lists. */
const wordsOf = (pointer: string): string[] =>
  pointer.split('/').filter((word) => word !== '' && word !== 'query' && !/^\d+$/.test(word));

/** The name of the field in the form: `/rules/2/limit/per` → `per`, `/recipient/city` → `to_city`. */
export const fieldNameOf = (pointer: string): string => {
  const words = wordsOf(pointer);
  const last = words.at(-1) ?? '';
  return otherNames[words.join('/')] ?? (words[0] === 'recipient' ? `to_${last}` : last);
};

const labelsIn = (language: Language): Readonly<Record<string, string>> => {
  const { make } = contractsWords[language];
  const write = writeWords[language];
  const keys = keysWords[language];
  const limits = limitsWords[language];
  const topUp = topUpWords[language];
  const { from, to } = statisticsWords[language];
  const address = addressParts.flatMap((part) => [
    [`to_${part}`, `${write.to}, ${addressLabels[language][part]}`],
    [`from_${part}`, `${write.from}, ${addressLabels[language][part]}`],
  ]);
  return {
    ...Object.fromEntries(address),
    content: write.content,
    file: write.file,
    address_placement: write.placement,
    service: write.service,
    reference: write.reference,
    send_date: write.sendDate,
    color: write.color,
    duplex: write.duplex,
    label: keys.label,
    scope: keys.scope,
    expires: keys.expires,
    amount: topUp.amount,
    method: topUp.method,
    currency: topUp.currency,
    id: limits.name,
    effect: limits.effect,
    country: limits.country,
    price_above: limits.above,
    per: limits.per,
    committed_units: make.units,
    period: make.period,
    period_count: make.count,
    starts_at: make.starts,
    time_zone: make.zone,
    webhook_url: webhooksWords[language].address,
    since: webhooksWords[language].failed.since,
    notification_email: settingsWords[language].email,
    language: settingsWords[language].language,
    code: dataWords[language].closing.code,
    confirm: dataWords[language].closing.confirm,
    reason: approvalsWords[language].reason,
    from,
    to,
  };
};

const labels: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  en: labelsIn('en'),
  de: labelsIn('de'),
  fr: labelsIn('fr'),
};

/** Undefined where no form has the field. */
export const labelOf = (pointer: string, language: Language): string | undefined => {
  const isOfRule = wordsOf(pointer)[0] === 'rules';
  const name = fieldNameOf(pointer);
  if (isOfRule && name === 'amount') return limitsWords[language].most;
  return Object.hasOwn(labels[language], name) ? labels[language][name] : undefined;
};
