/** `/console/limits`: the policy of the account, the remaining budgets, and the freezes. */
import type { Static } from 'typebox';
import type { FrozenList } from '../../../presenters/freeze.ts';
import type { Budgets } from '../../../presenters/policy.ts';
import { type Html, html } from '../../html.ts';
import { fieldOf, versionHeader } from '../form.ts';
import { problemNotice } from '../frame.ts';
import { changedMeanwhile, isOutdated } from '../shown-fields.ts';
import {
  ask,
  attempt,
  formAt,
  type Outcome,
  type Problem,
  pageAt,
  Refused,
  type View,
  type Visit,
} from '../visit.ts';
import { limitsBody } from './limits-page.ts';
import { limitsWords } from './limits-words.ts';
import { endsWith, hasRule, type Policy, ruleIn, withoutRule, withRule } from './policy-form.ts';

type Read = { policy: Policy | undefined; version: string | undefined };

/** The ETag of a policy that was never set, or ended. */
const noVersion = '"0"';

/** @throws Refused */
const readPolicy = async (visit: Visit): Promise<Read> => {
  const outcome = await attempt<Policy>(visit, 'get_policy');
  if (!('problem' in outcome)) return { policy: outcome.done, version: outcome.version };
  if (outcome.problem.code !== 'policy_not_found') throw new Refused(outcome.problem);
  return { policy: undefined, version: noVersion };
};

type Refusal = { notice: Html; status: number };

const showLimits = async (visit: Visit, refusal?: Refusal): Promise<View> => {
  const [frozen, budgets, read] = await Promise.all([
    ask<Static<typeof FrozenList>>(visit, 'list_frozen'),
    ask<Static<typeof Budgets>>(visit, 'list_budgets'),
    readPolicy(visit),
  ]);
  const { notice: problem, status = 200 } = refusal ?? {};
  const shown = { frozen: frozen.data, budgets: budgets.data, ...read, problem };
  return {
    body: limitsBody(shown, visit),
    status,
  };
};

const showProblem = (visit: Visit, problem: Problem): Promise<View> =>
  showLimits(
    { ...visit, problem },
    {
      notice: problemNotice(problem, visit.language),
      status: problem.status,
    },
  );

/** The page again with a sentence in its own language. */
const showNotice = (visit: Visit, sentence: string, status: number): Promise<View> =>
  showLimits(visit, { notice: html`<p class="problem" role="alert">${sentence}</p>`, status });

/** The page again after a form, with the refusal or the notice. */
const after = (
  visit: Visit,
  outcome: Outcome<unknown>,
  said: 'policy_saved' | 'policy_ended' | 'frozen' | 'unfrozen',
): Promise<View> | View =>
  'problem' in outcome ? showProblem(visit, outcome.problem) : { goTo: `/limits?said=${said}` };

/** Whether the freeze that the form was shown for ended, and another one began. @throws Refused */
const isFrozenAgain = async (visit: Visit, subject: string): Promise<boolean> => {
  if (!visit.form.has('shown_since')) return false;
  const { data } = await ask<Static<typeof FrozenList>>(visit, 'list_frozen');
  const since = data.find((one) => one.subject === subject)?.since ?? '';
  return isOutdated(visit.form, ['since'], { since });
};

/** Ends the freeze of the account, a key or a UCAN. */
const unfreeze = (visit: Visit, subject: string): Promise<Outcome<unknown>> => {
  if (subject === 'account') return attempt(visit, 'unfreeze_account');
  const [kind, cid] = subject.split(':');
  return kind === 'ucan' && cid !== undefined
    ? attempt(visit, 'unfreeze_ucan', { body: { cid } })
    : attempt(visit, 'unfreeze_key', { params: { id: subject } });
};

const freezeForms = [
  formAt('/limits/freeze', 'limits', async (visit) => {
    return after(visit, await attempt(visit, 'freeze_account'), 'frozen');
  }),
  formAt('/limits/unfreeze', 'limits', async (visit) => {
    const subject = fieldOf(visit.form, 'subject') ?? '';
    if (await isFrozenAgain(visit, subject)) return showProblem(visit, changedMeanwhile);
    return after(visit, await unfreeze(visit, subject), 'unfrozen');
  }),
];

/**
 * The outcome of a form about the policy. A form that was sent twice is refused the second time, because the first one changed
 * the policy.
 * @param isObeyed whether a policy is as the form wants it
 */
const outcomeOf = async (
  visit: Visit,
  outcome: Outcome<unknown>,
  isObeyed: (policy: Policy | undefined) => boolean,
): Promise<Outcome<unknown>> => {
  if (!('problem' in outcome) || ![412, 422].includes(outcome.problem.status)) return outcome;
  const { policy, version } = await readPolicy(visit);
  const isChanged = version !== fieldOf(visit.form, 'version');
  return isChanged && isObeyed(policy) ? { done: policy, version } : outcome;
};

/** The policy is changed as the person saw it: after a change by another person the form is refused. */
const policyForms = [
  formAt('/limits/rules', 'limits', async (visit) => {
    const { policy } = await readPolicy(visit);
    const rule = ruleIn(visit.form);
    const input = { body: withRule(policy, rule), headers: versionHeader(visit.form) };
    const outcome = await attempt(visit, 'set_policy', input);
    const settled = await outcomeOf(visit, outcome, (now) => endsWith(now, rule));
    return after(visit, settled, 'policy_saved');
  }),
  formAt('/limits/rules/remove', 'limits', async (visit) => {
    const read = await attempt<Policy>(visit, 'get_policy');
    if ('problem' in read) return showProblem(visit, read.problem);
    const id = fieldOf(visit.form, 'id') ?? '';
    const body = withoutRule(read.done, id);
    if (body.rules.length === 0) {
      return showNotice(visit, limitsWords[visit.language].policy.last, 409);
    }
    const input = { body, headers: versionHeader(visit.form) };
    const outcome = await attempt(visit, 'set_policy', input);
    const settled = await outcomeOf(
      visit,
      outcome,
      (now) => now !== undefined && !hasRule(now, id),
    );
    return after(visit, settled, 'policy_saved');
  }),
  formAt('/limits/end', 'limits', async (visit) => {
    if (!visit.form.has('confirm')) {
      return showNotice(visit, limitsWords[visit.language].ending.unconfirmed, 422);
    }
    const headers = versionHeader(visit.form);
    const outcome = await attempt(visit, 'delete_policy', { headers });
    const settled = await outcomeOf(visit, outcome, (now) => now === undefined);
    return after(visit, settled, 'policy_ended');
  }),
];

export const limitsRoutes = [
  pageAt('/limits', 'limits', (visit) => showLimits(visit)),
  ...policyForms,
  ...freezeForms,
];
