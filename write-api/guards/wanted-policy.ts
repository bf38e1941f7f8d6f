/** A policy as it is sent, for the wallet that keeps it. */

import type { ApproverFault } from '../../commands/guards/credential-line.ts';
import { emailApprover } from '../../commands/guards/email-approver.ts';
import { recipientDigest } from '../../commands/guards/guarded-letter.ts';
import type { WantedPolicy, WantedRule } from '../../commands/policies/check-policy.ts';
import { approvalHours } from '../../contract/approvals.ts';
import { AppError, isAppError } from '../../contract/errors.ts';
import { accountSubject, ucanSubjectPrefix } from '../../contract/frozen.ts';
import { invalidField } from '../../contract/refusals.ts';
import { centsOf, microOfDecimal } from '../../money/amounts.ts';
import { checkAddress } from '../../postal/addresses/index.ts';
import type { Address } from '../../postal/types.ts';
import type { RecipientAddress, WantedPolicyBody } from '../../presenters/policy.ts';

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
  throw invalidField(`${pointer}/${field}`, error.code, detail);
};

/** @throws AppError validation_failed for a fraction of a cent that the schema let pass */
const centsIn = (amount: number, pointer: string): number => {
  const micro = microOfDecimal(amount);
  if (micro !== undefined) return centsOf(micro);
  const detail = `${pointer.split('/').at(-1)} must be a whole number of cents.`;
  throw invalidField(pointer, 'out_of_range', detail, { kind: 'cents' });
};

const whenOf = (
  when: NonNullable<Rule['when']>,
  accountId: string,
  indexOf: Digest,
  pointer: string,
): RuleMatch => {
  const {
    content_types: contentKinds,
    known_recipient: knownRecipient,
    recipients,
    price_above: priceAbove,
    ...rest
  } = when;
  const digests = recipients?.map((one, index) =>
    typeof one === 'string'
      ? one
      : recipientDigest(indexOf, accountId, normalised(one, `${pointer}/recipients/${index}`)),
  );
  return {
    ...rest,
    ...(contentKinds ? { contentKinds: contentKinds as RuleMatch['contentKinds'] } : {}),
    ...(knownRecipient === undefined ? {} : { knownRecipient }),
    ...(digests ? { recipients: [...new Set(digests)] } : {}),
    ...(priceAbove === undefined
      ? {}
      : { priceAboveCents: centsIn(priceAbove, `${pointer}/price_above`) }),
  } as RuleMatch;
};

const limitOf = (
  { amount, letters, per }: NonNullable<Rule['limit']>,
  pointer: string,
): RuleLimit => ({
  ...(amount === undefined ? {} : { amountCents: centsIn(amount, `${pointer}/amount`) }),
  ...(letters === undefined ? {} : { letters }),
  per,
});

type WantedApprovals = NonNullable<WantedPolicyBody['approvals']>;

/** An approver as the policy keeps it. */
type NamedApprover = { approver: string; email?: string };

const isKeyId = (text: string): boolean => /^key_[0-9a-f]{32}$/.test(text);

const faults: Record<ApproverFault, string> = {
  read_only: 'has scope read and can approve nothing',
  revoked: 'is revoked and can approve nothing',
  expired: 'has expired, or ended with the key that made it, and can approve nothing',
  limited: 'is a key that the policy applies to, so it can approve none of its letters',
  maker: 'made or rotated the key that the policy limits, so it can approve none of its letters',
};

/** @throws AppError validation_failed */
const approverOf = async (
  named: string,
  pointer: string,
  { accountId, indexOf, subjectOf, faultOf, present }: PolicyContext,
): Promise<NamedApprover> => {
  if (isKeyId(named)) {
    const approver = await subjectOf(named).catch((error: unknown) => {
      if (!isAppError(error)) throw error;
      throw invalidField(pointer, 'key_not_found', error.message);
    });
    // Approvers stay in a policy whose limits are lowered with scope send, which cannot remove them.
    const fault = present.includes(approver) ? undefined : await faultOf(named);
    if (fault === undefined) return { approver };
    const detail = `${named} ${faults[fault]}. Name another key with scope send or full, or an e-mail address.`;
    throw invalidField(pointer, 'cannot_approve', detail);
  }
  const email = named.trim().toLowerCase();
  return { approver: emailApprover(indexOf, accountId, email), email };
};

const approvalsOf = async (
  { quorum = 1, approvers = [], expires_in_hours: hours = approvalHours.usual }: WantedApprovals,
  context: PolicyContext,
): Promise<Pick<WantedPolicy, 'approvals' | 'emails'>> => {
  const named = await Promise.all(
    approvers.map((one, index) => approverOf(one, `/approvals/approvers/${index}`, context)),
  );
  const emails = Object.fromEntries(
    named.flatMap(({ approver, email }) => (email === undefined ? [] : [[approver, email]])),
  );
  return {
    approvals: {
      quorum,
      approvers: named.map(({ approver }) => approver),
      expiresInHours: hours,
    },
    ...(Object.keys(emails).length > 0 ? { emails } : {}),
  };
};

/** The account of the policy, and the ports to keep it. */
type PolicyContext = {
  accountId: string;
  indexOf: Digest;
  /** The subject of a key of the account. @throws AppError key_not_found */
  subjectOf: (keyId: string) => Promise<string>;
  /** Why a key of the account could never approve; undefined: it could. */
  faultOf: (keyId: string) => Promise<ApproverFault | undefined>;
  /** The approvers that the policy names now. */
  present: readonly string[];
};

/** @throws AppError validation_failed */
export const wantedPolicy = async (
  { time_zone: timeZone, rules, approvals }: WantedPolicyBody,
  context: PolicyContext,
): Promise<WantedPolicy> => {
  const { accountId, indexOf } = context;
  const wanted = rules.map(({ id, effect, when, limit }, index): WantedRule => {
    const pointer = `/rules/${index}`;
    return {
      id: id ?? `rule-${index + 1}`,
      effect,
      ...(when ? { when: whenOf(when, accountId, indexOf, `${pointer}/when`) } : {}),
      ...(limit ? { limit: limitOf(limit, `${pointer}/limit`) } : {}),
    };
  });
  return { timeZone, rules: wanted, ...(approvals ? await approvalsOf(approvals, context) : {}) };
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
