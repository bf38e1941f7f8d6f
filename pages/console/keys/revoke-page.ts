/** Asks before a key or a UCAN is revoked: what ends with it. */
import { fact } from '../../fact.ts';
import { type Html, html } from '../../html.ts';
import { accountField } from '../form.ts';
import { moment } from '../format.ts';
import type { Visit } from '../visit.ts';
import type { Key } from './keys-page.ts';
import { keysWords } from './keys-words.ts';

const revokeForm = (path: string, visit: Visit, fields?: Html): Html => {
  const { at, language } = visit;
  const { revocation, revoke } = keysWords[language];
  return html`<form method="post" action="${at(path)}">
${accountField(visit)}${fields}
<p class="choices"><button class="button" type="submit">${revoke}</button> <a href="${at('/keys')}">${revocation.keep}</a></p>
</form>`;
};

export const revokeBody = (key: Key, visit: Visit): Html => {
  const { language, session } = visit;
  const { columns, revocation, never } = keysWords[language];
  const { last_used_at: usedAt } = key;
  return html`<p class="lead">${revocation.lead}</p>
${key.id === session.caller.keyId ? html`<p class="notice">${revocation.own}</p>` : undefined}
<dl class="facts">
${fact(columns.label, key.label)}
${fact(columns.prefix, html`<code>${key.prefix}…</code>`)}
${fact(columns.used, usedAt === null ? never : moment(usedAt, language))}
</dl>
${revokeForm(`/keys/${key.id}/revoke`, visit)}`;
};

export const revokeUcanBody = (cid: string, visit: Visit): Html => {
  const { columns, revocation } = keysWords[visit.language].ucans;
  return html`<p class="lead">${revocation.lead}</p>
<dl class="facts">${fact(columns.cid, html`<code class="secret">${cid}</code>`)}</dl>
${revokeForm('/keys/ucans/revoke', visit, html`<input type="hidden" name="cid" value="${cid}">`)}`;
};
