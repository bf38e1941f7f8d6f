/** Asks before a key is revoked: what ends with it. */
import { fact } from '../../fact.ts';
import { type Html, html } from '../../html.ts';
import { accountField } from '../form.ts';
import { moment } from '../format.ts';
import type { Visit } from '../visit.ts';
import type { Key } from './keys-page.ts';
import { keysWords } from './keys-words.ts';

export const revokeBody = (key: Key, visit: Visit): Html => {
  const { at, language, session } = visit;
  const { columns, revocation, revoke, never } = keysWords[language];
  const { last_used_at: usedAt } = key;
  return html`<p class="lead">${revocation.lead}</p>
${key.id === session.caller.keyId ? html`<p class="notice">${revocation.own}</p>` : undefined}
<dl class="facts">
${fact(columns.label, key.label)}
${fact(columns.prefix, html`<code>${key.prefix}…</code>`)}
${fact(columns.used, usedAt === null ? never : moment(usedAt, language))}
</dl>
<form method="post" action="${at(`/keys/${key.id}/revoke`)}">
${accountField(visit)}
<p class="choices"><button class="button" type="submit">${revoke}</button> <a href="${at('/keys')}">${revocation.keep}</a></p>
</form>`;
};
