/** `/console/operator/audit`: histories of letters, verified in the browser. For auditors, too. */
import { type Html, html } from '../../html.ts';
import { fieldOf, textField } from '../form.ts';
import { auditEntryWords } from './audit-words.ts';
import { operatorFrameWords } from './operator-frame-words.ts';
import { found, type OperatorRoute, type OperatorVisit } from './operator-visit.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

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

const titleIn = ({ language }: OperatorVisit): string => operatorFrameWords[language].rooms.audit;

export const auditRoutes: OperatorRoute[] = [
  {
    method: 'GET',
    path: '/audit',
    room: 'audit',
    forAuditors: true,
    async handle(visit) {
      return { title: titleIn(visit), room: 'audit', body: auditForm(visit) };
    },
  },
  {
    method: 'POST',
    path: '/audit',
    room: 'audit',
    forAuditors: true,
    async handle(visit) {
      const id = fieldOf(visit.form, 'letter')?.trim() ?? '';
      if (uuid.test(id)) return { goTo: `/audit/${id.toLowerCase()}` };
      const body = auditForm(visit, id);
      return { title: titleIn(visit), room: 'audit', body, status: 422 };
    },
  },
  {
    method: 'GET',
    path: '/audit/{id}',
    room: 'audit',
    forAuditors: true,
    async handle({ desk, session, params, at, file, language }) {
      const id = params.id ?? '';
      const addresses = {
        assets: file('/audit/'),
        bundle: at(`/audit/${id}/bundle.zip`),
        back: at('/audit'),
        certificate: at(`/audit/${id}/certificate`),
        language,
      };
      return {
        page: found(uuid.test(id) ? await desk.auditPage(session, id, addresses) : undefined),
      };
    },
  },
  {
    method: 'GET',
    path: '/audit/{id}/bundle.zip',
    room: 'audit',
    forAuditors: true,
    async handle({ desk, session, params, address }) {
      const id = params.id ?? '';
      const bundle = uuid.test(id) ? await desk.auditBundle(session, id, address) : undefined;
      return { file: found(bundle), type: 'application/zip', name: `audit-${id}.zip` };
    },
  },
  {
    method: 'GET',
    path: '/audit/{id}/certificate',
    room: 'audit',
    forAuditors: true,
    async handle({ desk, session, params }) {
      const id = params.id ?? '';
      const address = uuid.test(id) ? await desk.certificateAddress(session, id) : undefined;
      return { leaveFor: found(address) };
    },
  },
];
