/** `/console/letters/{id}/proof`: the proof of a letter as files, and links that show it to others. */
import type { Static } from 'typebox';
import type { AuditLinks, NewAuditLink } from '../../../presenters/audit-links.ts';
import type { Proof } from '../../../presenters/proof.ts';
import type { TrackingLink } from '../../../presenters/tracking-link.ts';
import { idempotencyHeader } from '../form.ts';
import { problemNotice } from '../frame.ts';
import type { Done } from '../frame-words.ts';
import { changedMeanwhile, isOutdated } from '../shown-fields.ts';
import {
  ask,
  askFile,
  attempt,
  formAt,
  type Outcome,
  type Problem,
  pageAt,
  type View,
  type Visit,
} from '../visit.ts';
import { proofBody } from './proof-page.ts';
import { proofWords } from './proof-words.ts';

const letterOf = ({ params }: Visit) => ({ letter_id: params.id ?? '' });

/** @throws Refused */
const showProof = async (
  visit: Visit,
  { made, problem }: { made?: string; problem?: Problem } = {},
): Promise<View> => {
  const { language } = visit;
  const params = letterOf(visit);
  const [proof, links, tracking] = await Promise.all([
    ask<Static<typeof Proof>>(visit, 'get_proof', { params }),
    ask<Static<typeof AuditLinks>>(visit, 'list_audit_links', { params }),
    attempt<Static<typeof TrackingLink>>(visit, 'get_tracking_link', { params }),
  ]);
  const shown = {
    proof,
    links: links.data,
    tracking: 'done' in tracking ? tracking.done : undefined,
    made,
    problem: problem && problemNotice(problem, language),
  };
  return {
    title: proofWords[language].title,
    body: proofBody(shown, { ...visit, problem }),
    status: problem?.status ?? 200,
  };
};

/** The page again after a form, with the refusal or the notice. */
const after = (visit: Visit, outcome: Outcome<unknown>, word: Done): Promise<View> | View =>
  'problem' in outcome
    ? showProof(visit, { problem: outcome.problem })
    : { goTo: `/letters/${encodeURIComponent(visit.params.id ?? '')}/proof?said=${word}` };

const files = [
  pageAt('/letters/{id}/certificate.pdf', 'letters', async (visit) => {
    const params = letterOf(visit);
    const query = { language: visit.language };
    const headers = { accept: 'application/pdf' };
    const file = await askFile(visit, 'get_proof', { params, query, headers });
    return { file, type: 'application/pdf', name: `proof-${params.letter_id}.pdf` };
  }),
  pageAt('/letters/{id}/history.zip', 'letters', async (visit) => {
    const params = letterOf(visit);
    const headers = { accept: 'application/zip' };
    const file = await askFile(visit, 'get_audit', { params, headers });
    return { file, type: 'application/zip', name: `history-${params.letter_id}.zip` };
  }),
];

/** Whether another tracking link replaced the one that the form was shown for. @throws Refused */
const isRenewed = async (visit: Visit): Promise<boolean> => {
  if (!visit.form.has('shown_url')) return false;
  const input = { params: letterOf(visit) };
  const { url } = await ask<Static<typeof TrackingLink>>(visit, 'get_tracking_link', input);
  return isOutdated(visit.form, ['url'], { url: url ?? '' });
};

const linkForms = [
  formAt('/letters/{id}/audit-links', 'letters', async (visit) => {
    const outcome = await attempt<Static<typeof NewAuditLink>>(visit, 'create_audit_link', {
      params: letterOf(visit),
      headers: idempotencyHeader(visit.form),
    });
    return 'problem' in outcome
      ? showProof(visit, { problem: outcome.problem })
      : showProof(visit, { made: outcome.done.url });
  }),
  formAt('/letters/{id}/audit-links/{link}/revoke', 'letters', async (visit) => {
    const params = { ...letterOf(visit), id: visit.params.link ?? '' };
    return after(visit, await attempt(visit, 'revoke_audit_link', { params }), 'link_revoked');
  }),
  formAt('/letters/{id}/tracking-link/renew', 'letters', async (visit) => {
    const input = { params: letterOf(visit), headers: idempotencyHeader(visit.form) };
    return after(visit, await attempt(visit, 'renew_tracking_link', input), 'link_renewed');
  }),
  formAt('/letters/{id}/tracking-link/revoke', 'letters', async (visit) => {
    const input = { params: letterOf(visit) };
    if (await isRenewed(visit)) return showProof(visit, { problem: changedMeanwhile });
    return after(visit, await attempt(visit, 'revoke_tracking_link', input), 'link_revoked');
  }),
];

export const proofRoutes = [
  pageAt('/letters/{id}/proof', 'letters', (visit) => showProof(visit)),
  ...files,
  ...linkForms,
];
