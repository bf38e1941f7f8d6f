/** The denial for the caller: which rule, how much of its limit is used, and what to do. */
import { AppError } from '../../contract/errors.ts';
import { nameOfSubject } from '../../contract/frozen.ts';
import { accountSubject, type RuleLimit } from '../../events/policy.ts';
import { numberOf } from '../../ground/plural.ts';
import { decimalOf, dollars, type MicroUsd, microOfCents } from '../../money/amounts.ts';
import type { Denial } from './evaluate.ts';

/** A rule says more than that there is none, and the limit that is free again last says more than the others. */
const rank = ({ rule, reached }: Denial): number => {
  if (!reached) return rule ? Number.POSITIVE_INFINITY : Number.MAX_VALUE;
  return reached.resetsAt ?? Number.MAX_SAFE_INTEGER;
};

export const decidingDenial = (denials: readonly Denial[]): Denial | undefined =>
  denials.reduce<Denial | undefined>(
    (first, one) => (first === undefined || rank(one) > rank(first) ? one : first),
    undefined,
  );

const periodNames: Record<RuleLimit['per'], string> = {
  letter: 'for each letter',
  hour: 'per hour',
  day: 'per day',
  month: 'per month',
  rolling_24h: 'in 24 hours',
  total: 'in total',
};

const limitInWords = (limit: RuleLimit): string => {
  const { amountCents, letters = 0, per } = limit;
  const size =
    amountCents === undefined ? numberOf(letters, 'letter') : dollars(microOfCents(amountCents));
  return `${size} ${periodNames[per]}`;
};

/** In the unit of the limit: USD or letters. */
const inUnitOf = ({ amountCents }: RuleLimit, used: number): number =>
  amountCents === undefined ? used : decimalOf(BigInt(used) as MicroUsd);

const usedInWords = ({ amountCents }: RuleLimit, used: number, priceMicro: MicroUsd): string =>
  amountCents === undefined
    ? `${used} ${used === 1 ? 'is' : 'are'} used`
    : `${dollars(BigInt(used) as MicroUsd)} of it is used, and this letter costs ${dollars(priceMicro)}`;

const policyInWords = (subject: string): string =>
  subject === accountSubject
    ? 'the policy of the account'
    : `the policy of ${nameOfSubject(subject)}`;

const sentenceOf = ({ subject, rule, reached }: Denial, priceMicro: MicroUsd): string => {
  const policy = policyInWords(subject);
  if (!rule)
    return `No rule in ${policy} allows this letter. Ask the owner of the account to allow it.`;
  if (!reached)
    return `Rule ${rule.id} in ${policy} denies this letter. Ask the owner of the account to change the rule.`;
  const { limit, used, resetsAt } = reached;
  const of = `Rule ${rule.id} in ${policy} allows ${limitInWords(limit)}`;
  if (limit.per === 'letter')
    return `${of}, and this letter costs ${dollars(priceMicro)}. Choose a cheaper service, or ask the owner of the account to raise the limit.`;
  const remedy =
    resetsAt === null
      ? 'Ask the owner of the account to raise the limit.'
      : `Send again after ${new Date(resetsAt).toISOString()}, or ask the owner of the account to raise the limit.`;
  return `${of}; ${usedInWords(limit, used, priceMicro)}. ${remedy}`;
};

const limitOf = ({ amountCents, letters, per }: RuleLimit) => ({
  ...(amountCents === undefined ? { letters } : { amount: decimalOf(microOfCents(amountCents)) }),
  per,
});

/** The members of a denial in an answer. */
export const denialBody = ({ subject, rule, reached }: Denial) => ({
  policy: subject,
  rule: rule?.id ?? null,
  ...(reached
    ? {
        limit: limitOf(reached.limit),
        used: inUnitOf(reached.limit, reached.used),
        resets_at: reached.resetsAt === null ? null : new Date(reached.resetsAt).toISOString(),
        ...(reached.timeZone === undefined ? {} : { time_zone: reached.timeZone }),
      }
    : {}),
});

export const policyDenied = (denial: Denial, priceMicro: MicroUsd): AppError =>
  new AppError('policy_denied', sentenceOf(denial, priceMicro), { extra: denialBody(denial) });
