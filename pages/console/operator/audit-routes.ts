/** `/console/operator/audit`: histories of letters, verified in the browser. For auditors, too. */
import { isUuid } from '../../../ground/uuid.ts';
import { type Html, html } from '../../html.ts';
import { fieldOf, textField } from '../form.ts';
import { auditEntryWords } from './audit-words.ts';
import { formAt, found, type OperatorVisit, pageAt } from './operator-visit.ts';

/** @param wrong a value that is not the id of a letter */
const auditForm = ({ at, language }: OperatorVisit, wrong?: string): Html => {
  const words = auditEntryWords[language];
  const { lead, label, button } = words;
  const refusal = wrong === undefined ? {} : { value: wrong, wrong: html`${words.wrong}` };
  return html`<p>${lead}</p>
<form method="post" action="${at('/audit')}">
${textField({ name: 'letter', label, required: true, ...refusal })}
<p><button class="button" type="submit">${button}</button></p>
</form>`;
};

const routes = [
  pageAt('/audit', 'audit', async (visit) => {
    return { body: auditForm(visit) };
  }),
  formAt('/audit', 'audit', async (visit) => {
    const id = fieldOf(visit.form, 'letter')?.trim() ?? '';
    if (isUuid(id.toLowerCase())) return { goTo: `/audit/${id.toLowerCase()}` };
    const body = auditForm(visit, id);
    return { body, status: 422 };
  }),
  pageAt('/audit/{id}', 'audit', async ({ desk, session, params, at, file, language }) => {
    const id = params.id ?? '';
    const addresses = {
      assets: file('/audit/'),
      bundle: at(`/audit/${id}/bundle.zip`),
      back: at('/audit'),
      certificate: at(`/audit/${id}/certificate`),
      language,
    };
    return {
      page: found(
        isUuid(id.toLowerCase()) ? await desk.auditPage(session, id, addresses) : undefined,
      ),
    };
  }),
  pageAt('/audit/{id}/bundle.zip', 'audit', async ({ desk, session, params, address }) => {
    const id = params.id ?? '';
    const bundle = isUuid(id.toLowerCase())
      ? await desk.auditBundle(session, id, address)
      : undefined;
    return { file: found(bundle), type: 'application/zip', name: `audit-${id}.zip` };
  }),
  pageAt('/audit/{id}/certificate', 'audit', async ({ desk, session, params }) => {
    const id = params.id ?? '';
    const address = isUuid(id.toLowerCase())
      ? await desk.certificateAddress(session, id)
      : undefined;
    return { leaveFor: found(address) };
  }),
];

export const auditRoutes = routes.map((route) => ({ ...route, forAuditors: true as const }));
