/** `/console/webhooks/audit/…`: the deliveries to an audit webhook, what they carry, and sending them again. */
import type { Static } from 'typebox';
import type { AuditMessage } from '../../../presenters/audit-webhooks.ts';
import { fieldsOf, idempotencyHeader } from '../form.ts';
import { problemNotice } from '../frame.ts';
import {
  ask,
  attempt,
  formAt,
  type Problem,
  pageAt,
  Refused,
  type View,
  type Visit,
} from '../visit.ts';
import { auditMessageBody, auditWebhookBody, type Delivery } from './audit-webhooks-page.ts';
import { type AuditWebhook, auditWebhookPath } from './audit-webhooks-part.ts';
import { auditWebhooksWords } from './audit-webhooks-words.ts';
import { auditDeliveriesOf, resendSinceTime } from './resend-failed.ts';
import { webhooksWords } from './webhooks-words.ts';

const idIn = ({ params }: Visit): string => params.id ?? '';

/** @throws Refused where the account has no such webhook */
const theWebhook = async (visit: Visit): Promise<AuditWebhook> => {
  const { data } = await ask<{ data: AuditWebhook[] }>(visit, 'list_audit_subscriptions');
  const found = data.find(({ id }) => id === idIn(visit));
  if (found) return found;
  throw new Refused({ status: 404, code: 'not_found', title: '', detail: '' });
};

const showWebhook = async (visit: Visit, problem?: Problem): Promise<View> => {
  const webhook = await theWebhook(visit);
  const { data, next_cursor: nextCursor } = await ask<{
    data: Delivery[];
    next_cursor: string | null;
  }>(visit, 'list_audit_deliveries', {
    params: { id: webhook.id },
    query: fieldsOf(visit.query, ['cursor']),
  });
  const notice = problem && problemNotice(problem, visit.language);
  return {
    title: auditWebhooksWords[visit.language].title,
    body: auditWebhookBody(
      webhook,
      { deliveries: data, nextCursor, problem: notice },
      { ...visit, problem },
    ),
    status: problem?.status ?? 200,
  };
};

const deliveryIn = (visit: Visit) => ({ id: idIn(visit), event_id: visit.params.event ?? '' });

const showMessage = async (visit: Visit): Promise<View> => {
  const webhook = await theWebhook(visit);
  const params = deliveryIn(visit);
  const message = await ask<Static<typeof AuditMessage>>(visit, 'get_audit_message', { params });
  const { title } = webhooksWords[visit.language].message;
  return { title, body: auditMessageBody(webhook, message, visit) };
};

const path = '/webhooks/audit/{id}';

/** The page of the webhook, with what was done. */
const pageOf = (visit: Visit, said: string): View => ({
  goTo: `${auditWebhookPath(idIn(visit))}?said=${said}`,
});

/** A form that was refused shows why: on the page of its webhook, where there is one. */
const refused = async (visit: Visit, problem: Problem): Promise<View> => {
  if (problem.status === 404 || problem.status === 403) throw new Refused(problem);
  return showWebhook(visit, problem);
};

export const auditWebhooksRoutes = [
  pageAt(path, 'webhooks', (visit) => showWebhook(visit)),
  formAt(`${path}/resend-failed`, 'webhooks', (visit) =>
    resendSinceTime(visit, auditDeliveriesOf(idIn(visit)), {
      page: auditWebhookPath(idIn(visit)),
      show: (problem) => refused(visit, problem),
    }),
  ),
  formAt(`${path}/test`, 'webhooks', async (visit) => {
    const input = { params: { id: idIn(visit) }, headers: idempotencyHeader(visit.form) };
    const outcome = await attempt(visit, 'test_audit_webhook', input);
    if ('problem' in outcome) return refused(visit, outcome.problem);
    return pageOf(visit, 'tested');
  }),
  pageAt(`${path}/deliveries/{event}`, 'webhooks', showMessage),
  formAt(`${path}/deliveries/{event}/resend`, 'webhooks', async (visit) => {
    const input = { params: deliveryIn(visit), headers: idempotencyHeader(visit.form) };
    const outcome = await attempt(visit, 'replay_audit_delivery', input);
    if ('problem' in outcome) return refused(visit, outcome.problem);
    return pageOf(visit, 'replayed');
  }),
];
