/** `/console/approvals`: letters that a policy holds. */
import type { Static } from 'typebox';
import type { DecidedApproval } from '../../../presenters/approval.ts';
import { fieldsOf } from '../form.ts';
import { problemNotice } from '../frame.ts';
import { frameWords } from '../frame-words.ts';
import { ask, attempt, type Problem, type Route, type View, type Visit } from '../visit.ts';
import { type Approval, approvalsBody } from './approvals-page.ts';

type Found = { data: Approval[] };
type Decided = Static<typeof DecidedApproval>;

const mostPending = '100';

const showApprovals = async (visit: Visit, problem?: Problem): Promise<View> => {
  const [pending, latest] = await Promise.all([
    ask<Found>(visit, 'list_approvals', { query: { status: 'pending', limit: mostPending } }),
    ask<Found>(visit, 'list_approvals'),
  ]);
  const notice = problem && problemNotice(problem, visit.language);
  return {
    title: frameWords[visit.language].rooms.approvals,
    room: 'approvals',
    body: approvalsBody(pending.data, latest.data, visit, notice),
    status: problem?.status ?? 200,
  };
};

export const approvalsRoutes: Route[] = [
  {
    method: 'GET',
    path: '/approvals',
    room: 'approvals',
    handle: (visit) => showApprovals(visit),
  },
  {
    method: 'POST',
    path: '/approvals/{id}/approve',
    room: 'approvals',
    async handle(visit) {
      const params = { id: visit.params.id ?? '' };
      const outcome = await attempt<Decided>(visit, 'approve_letter', { params });
      if ('problem' in outcome) return showApprovals(visit, outcome.problem);
      const isSent = outcome.done.letter_status === 'queued';
      return { goTo: `/approvals?said=${isSent ? 'approved' : 'approval_recorded'}` };
    },
  },
  {
    method: 'POST',
    path: '/approvals/{id}/reject',
    room: 'approvals',
    async handle(visit) {
      const params = { id: visit.params.id ?? '' };
      const body = fieldsOf(visit.form, ['reason']);
      const outcome = await attempt<Decided>(visit, 'reject_letter', { params, body });
      if ('problem' in outcome) return showApprovals(visit, outcome.problem);
      return { goTo: '/approvals?said=rejected' };
    },
  },
];
