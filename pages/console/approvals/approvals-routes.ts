/** `/console/approvals`: letters that a policy holds, and changes of policies that were asked for. */
import type { Static } from 'typebox';
import type { DecidedApproval } from '../../../presenters/approval.ts';
import { fieldsOf } from '../form.ts';
import { problemNotice } from '../frame.ts';
import { ask, attempt, formAt, type Problem, pageAt, type View, type Visit } from '../visit.ts';
import { type Approval, approvalsBody, type Change } from './approvals-page.ts';

type Found = { data: Approval[]; next_cursor: string | null };
type Decided = Static<typeof DecidedApproval>;

/** The form of an id says what it is about. */
const isChange = ({ params }: Visit): boolean => params.id?.startsWith('apc_') ?? false;

/** Whether it waits for no other approver. The letter may be printed already when a form is sent again. */
const isFinal = ({ status }: Decided | Change): boolean => status === 'approved';

const mostPending = '100';
const mostOver = 20;
const ends = ['approved', 'rejected', 'expired', 'superseded'] as const;

/** The latest approvals that are over, however many wait. */
const overIn = async (visit: Visit): Promise<Approval[]> => {
  const query = { limit: String(mostOver) };
  const found = await Promise.all(
    ends.map((status) => ask<Found>(visit, 'list_approvals', { query: { ...query, status } })),
  );
  const latestFirst = (one: Approval, other: Approval) =>
    one.requested_at < other.requested_at ? 1 : -1;
  return found
    .flatMap(({ data }) => data)
    .toSorted(latestFirst)
    .slice(0, mostOver);
};

const showApprovals = async (visit: Visit, problem?: Problem): Promise<View> => {
  const query = { ...fieldsOf(visit.query, ['cursor']), status: 'pending', limit: mostPending };
  const [{ data: pending, next_cursor: older }, over, changes] = await Promise.all([
    ask<Found>(visit, 'list_approvals', { query }),
    overIn(visit),
    ask<{ data: Change[] }>(visit, 'list_policy_changes'),
  ]);
  const shown = { pending, older, over, changes: changes.data };
  const notice = problem && problemNotice(problem, visit.language);
  return {
    body: approvalsBody(shown, visit, notice),
    status: problem?.status ?? 200,
  };
};

export const approvalsRoutes = [
  pageAt('/approvals', 'approvals', (visit) => showApprovals(visit)),
  formAt('/approvals/{id}/approve', 'approvals', async (visit) => {
    const params = { id: visit.params.id ?? '' };
    const name = isChange(visit) ? 'approve_policy_change' : 'approve_letter';
    const outcome = await attempt<Decided | Change>(visit, name, { params });
    if ('problem' in outcome) return showApprovals(visit, outcome.problem);
    const said = isChange(visit)
      ? (['policy_saved', 'change_approval_recorded'] as const)
      : (['approved', 'approval_recorded'] as const);
    return { goTo: `/approvals?said=${said[isFinal(outcome.done) ? 0 : 1]}` };
  }),
  formAt('/approvals/{id}/reject', 'approvals', async (visit) => {
    const params = { id: visit.params.id ?? '' };
    const body = fieldsOf(visit.form, ['reason']);
    const name = isChange(visit) ? 'reject_policy_change' : 'reject_letter';
    const outcome = await attempt<Decided | Change>(visit, name, { params, body });
    if ('problem' in outcome) return showApprovals(visit, outcome.problem);
    return { goTo: `/approvals?said=${isChange(visit) ? 'change_rejected' : 'rejected'}` };
  }),
];
