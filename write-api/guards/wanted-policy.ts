/** A policy as it is sent, for the wallet that keeps it. */

import { recipientDigest } from '../../commands/guards/guarded-letter.ts';
import type { WantedPolicy, WantedRule } from '../../commands/policies/check-policy.ts';
import { AppError } from '../../contract/errors.ts';
import { accountSubject, ucanSubjectPrefix } from '../../contract/frozen.ts';
import { centsOf, microOfDecimal } from '../../money/amounts.ts';
import { checkAddress } from '../../postal/addresses/index.ts';
import type { Address } from '../../postal/types.ts';
import type { RecipientAddress, WantedPolicyBody } from '../../presenters/policy.ts';
import { invalidField } from '../invalid-field.ts';

type RuleMatch = NonNullable<WantedRule['when']>;
type RuleLimit = NonNullable<WantedRule['limit']>;
type Digest = (kind: string, value: string) => string;
type Rule = WantedPolicyBody['rules'][number];

/** The address as a letter to it has it. @throws AppError validation_failed for one that no letter can have */
const normalised = (
  { postal_code: postalCode, ...rest }: RecipientAddress,
  pointer: string,
): Address => {
  const { normalized, issues } = checkAddress({ ...rest, postalCode });
  const error = issues.find(({ severity }) => severity === 'error');
  if (!error) return normalized;
  const field = error.field === 'postalCode' ? 'postal_code' : error.field;
  const detail = error.detail.replace('{field}', field);
  throw invalidField({ pointer: `${pointer}/${field}`, code: error.code, detail });
};

const whenOf = (
  when: NonNullable<Rule['when']>,
  accountId: string,
  indexOf: Digest,
  pointer: string,
): RuleMatch => {
  const { content_types: contentKinds, recipients, ...rest } = when;
  const digests = recipients?.map((one, index) =>
    typeof one === 'string'
      ? one
      : recipientDigest(indexOf, accountId, normalised(one, `${pointer}/recipients/${index}`)),
  );
  return {
    ...rest,
    ...(contentKinds ? { contentKinds: contentKinds as RuleMatch['contentKinds'] } : {}),
    ...(digests ? { recipients: [...new Set(digests)] } : {}),
  } as RuleMatch;
};

/** @throws AppError validation_failed for a fraction of a cent that the schema let pass */
const limitOf = (
  { amount, letters, per }: NonNullable<Rule['limit']>,
  pointer: string,
): RuleLimit => {
  const micro = amount === undefined ? undefined : microOfDecimal(amount);
  if (amount !== undefined && micro === undefined) {
    const detail = 'amount must be a whole number of cents.';
    throw invalidField({ pointer: `${pointer}/amount`, code: 'out_of_range', detail });
  }
  return {
    ...(micro === undefined ? {} : { amountCents: centsOf(micro) }),
    ...(letters === undefined ? {} : { letters }),
    per,
  };
};

/** @throws AppError validation_failed */
export const wantedPolicy = (
  { time_zone: timeZone = 'UTC', rules }: WantedPolicyBody,
  accountId: string,
  indexOf: Digest,
): WantedPolicy => {
  const wanted = rules.map(({ id, effect, when, limit }, index): WantedRule => {
    const pointer = `/rules/${index}`;
    return {
      id: id ?? `rule-${index + 1}`,
      effect,
      ...(when ? { when: whenOf(when, accountId, indexOf, `${pointer}/when`) } : {}),
      ...(limit ? { limit: limitOf(limit, `${pointer}/limit`) } : {}),
    };
  });
  return { timeZone, rules: wanted };
};

export const noPolicy = (subject: string): AppError => {
  const about = subject.startsWith(ucanSubjectPrefix)
    ? 'The UCAN has no policy of its own. Set one with PUT /api/identity/ucan/{cid}/policy.'
    : 'The key has no policy of its own. Set one with PUT /auth/keys/{id}/policy.';
  return new AppError(
    'policy_not_found',
    subject === accountSubject
      ? 'The account has no policy, so nothing is limited for all of its keys. Set one with PUT /api/policy.'
      : about,
  );
};
