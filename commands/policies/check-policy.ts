/** Checks a policy beyond its form: each finding names its place and the way out. */
import { emailApproverPrefix } from '../../contract/approvals.ts';
import { AppError, type FieldError } from '../../contract/errors.ts';
import type { Approvals, ApproverEmails, PolicyRule, RuleMatch } from '../../events/policy.ts';
import { services } from '../../postal/services.ts';
import type { ServiceId } from '../../postal/types.ts';
import { isCovered } from './lowering.ts';
import { isTimeZone } from './windows.ts';

/** A rule as it was asked for: without its counter. */
export type WantedRule = Omit<PolicyRule, 'counter'>;
export type WantedPolicy = {
  /** Absent: that of the policy before, or of the account's policy. */
  timeZone?: string | undefined;
  rules: WantedRule[];
  approvals?: Approvals;
  /** Of the approvers that are known by an address. */
  emails?: ApproverEmails;
};

type Finding = Omit<FieldError, 'pointer'> & { at: string };

const limitFindings = ({ effect, limit, when }: WantedRule): Finding[] => {
  if (!limit) return [];
  if (effect !== 'allow' && effect !== 'alert') {
    const detail = `A ${effect} rule has no limit. Put the limit on a rule that allows or alerts.`;
    return [{ at: '/limit', code: `not_with_${effect}`, detail }];
  }
  if ((limit.amountCents === undefined) === (limit.letters === undefined)) {
    const detail = 'A limit has either amount or letters.';
    return [{ at: '/limit', code: 'one_of', detail }];
  }
  if (limit.amountCents !== undefined && limit.amountCents <= (when?.priceAboveCents ?? 0)) {
    const detail =
      'Every letter that costs more than price_above reaches this limit. Raise the limit, or lower price_above.';
    return [{ at: '/limit/amount', code: 'contradicts', detail }];
  }
  if (limit.per !== 'letter') return [];
  if (effect === 'alert') {
    const detail =
      'An alert rule has no limit per letter. To get alerts of letters above a price, use price_above in when.';
    return [{ at: '/limit/per', code: 'not_with_alert', detail }];
  }
  if (limit.letters === undefined) return [];
  const detail = 'A limit per letter is an amount. Use amount, or another period.';
  return [{ at: '/limit/letters', code: 'not_per_letter', detail }];
};

const countryFindings = ({ countries, services: named }: RuleMatch): Finding[] => {
  const foreign = named?.find((one) => !countries?.includes(services[one as ServiceId].country));
  if (!countries || foreign === undefined) return [];
  const detail = `${foreign} does not serve ${countries.join(', ')}. Leave out the service, or add its country.`;
  return [{ at: '/when/services', code: 'contradicts', detail }];
};

/** A letter whose recipient is not known yet must be the one that waits or is denied: never the other way round. */
const recipientFindings = ({ effect }: WantedRule, { knownRecipient }: RuleMatch): Finding[] => {
  const at = '/when/known_recipient';
  if (knownRecipient === undefined) return [];
  if (effect === 'allow' && !knownRecipient) {
    const detail =
      'An allow rule takes known_recipient true. To let letters to new recipients wait, add a hold rule with known_recipient false.';
    return [{ at, code: 'not_with_allow', detail }];
  }
  if (knownRecipient && (effect === 'deny' || effect === 'hold')) {
    const detail = `A ${effect} rule takes known_recipient false. To treat recipients that you name, use recipients.`;
    return [{ at, code: `not_with_${effect}`, detail }];
  }
  return [];
};

const ruleFindings = (rule: WantedRule): Finding[] => [
  ...(rule.effect === 'deny' && rule.when === undefined
    ? [
        {
          at: '/when',
          code: 'required',
          detail:
            'This rule denies every letter. Say in when which letters it denies. To stop all letters, freeze the account, key or UCAN.',
        },
      ]
    : []),
  ...limitFindings(rule),
  ...countryFindings(rule.when ?? {}),
  ...recipientFindings(rule, rule.when ?? {}),
];

/** A rule that a deny rule leaves nothing of. */
const contradiction = (rule: WantedRule, rules: readonly WantedRule[]): Finding[] => {
  const denying = rules.find(
    ({ effect, when }) => effect === 'deny' && when !== undefined && isCovered(rule.when, when),
  );
  if (rule.effect === 'deny' || !denying) return [];
  const does = rule.effect === 'alert' ? 'alerts of' : `${rule.effect}s`;
  const detail = `Rule ${denying.id} denies every letter that rule ${rule.id} ${does}. Remove one of the two, or narrow ${denying.id}.`;
  return [{ at: '', code: 'contradicts', detail }];
};

const idFindings = ({ id }: WantedRule, earlier: readonly WantedRule[]): Finding[] => {
  if (!earlier.some((one) => one.id === id)) return [];
  const detail = `Another rule has the id ${id}. Give each rule an id of its own.`;
  return [{ at: '/id', code: 'not_unique', detail }];
};

const allowsNothing: FieldError = {
  pointer: '/rules',
  code: 'allows_nothing',
  detail:
    'No rule allows anything, so every letter would be denied; hold and alert rules allow nothing by themselves. Add a rule that allows letters. To stop all letters, freeze the account, key or UCAN.',
};

const zoneError = (timeZone: string): FieldError => ({
  pointer: '/time_zone',
  code: 'unknown_time_zone',
  detail: `${timeZone} is not a time zone. Use a name such as Europe/Berlin or UTC.`,
});

/** Checks the approvers. */
const approvalErrors = ({ approvals, emails = {} }: WantedPolicy): FieldError[] => {
  if (!approvals) return [];
  const { quorum, approvers } = approvals;
  const twice = approvers.findIndex((one, index) => approvers.indexOf(one) < index);
  if (twice >= 0) {
    const detail = 'This approver is named twice. Name each approver once.';
    return [{ pointer: `/approvals/approvers/${twice}`, code: 'not_unique', detail }];
  }
  if (quorum > Math.max(1, approvers.length)) {
    const detail = `A quorum of ${quorum} needs at least ${quorum} approvers. Name them, or lower the quorum.`;
    return [{ pointer: '/approvals/approvers', code: 'too_few', detail }];
  }
  const nameless = approvers.find((one) => one.startsWith(emailApproverPrefix) && !emails[one]);
  if (nameless !== undefined) throw new Error(`approver ${nameless} has no address`);
  return [];
};

/** @throws AppError validation_failed */
export const assertPolicy = (wanted: WantedPolicy): void => {
  const { timeZone, rules } = wanted;
  const errors: FieldError[] = rules.flatMap((rule, index) =>
    [
      ...idFindings(rule, rules.slice(0, index)),
      ...ruleFindings(rule),
      ...contradiction(rule, rules),
    ].map(({ at, ...finding }) => ({ pointer: `/rules/${index}${at}`, ...finding })),
  );
  if (!rules.some(({ effect }) => effect === 'allow')) errors.push(allowsNothing);
  if (timeZone !== undefined && !isTimeZone(timeZone)) errors.push(zoneError(timeZone));
  errors.push(...approvalErrors(wanted));
  const [first] = errors;
  if (first) throw new AppError('validation_failed', first.detail, { errors });
};
