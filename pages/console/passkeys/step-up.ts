/** Before money, keys, approvals and erasure, a session that a passkey can confirm is asked for it. */
import type { Session } from '../../../contract/portal.ts';
import type { Language } from '../../../postal/stationery.ts';
import { type Html, html } from '../../html.ts';
import { passkeyForm } from './passkey-form.ts';
import type { Passkeys } from './passkey-ports.ts';
import { passkeyWords } from './passkey-words.ts';

/** Forms that need a passkey if one can confirm the session, by their paths. */
const guarded = new Set([
  '/wallet/top-up',
  '/contracts',
  '/keys',
  '/keys/{id}/revoke',
  '/keys/ucans/revoke',
  '/limits/rules',
  '/limits/rules/remove',
  '/limits/end',
  '/limits/unfreeze',
  '/approvals/{id}/approve',
  '/letters/{id}/delete',
  '/settings/passkeys',
  '/settings/exports',
  '/settings/close',
]);

/** Whether a form must be confirmed first. */
export const needsPasskey = async (
  { method, path }: { method: string; path: string },
  session: Session,
  passkeys: Pick<Passkeys, 'asks'>,
): Promise<boolean> => method === 'POST' && guarded.has(path) && (await passkeys.asks(session));

/** Names of the fields that a confirmation carries along begin with this. */
const heldPrefix = 'held:';

/** The form that waits: its path, and its fields. */
export const heldIn = (form: URLSearchParams): { path: string; form: URLSearchParams } => ({
  path: form.get('to') ?? '',
  form: new URLSearchParams(
    [...form]
      .filter(([name]) => name.startsWith(heldPrefix))
      .map(([name, value]): [string, string] => [name.slice(heldPrefix.length), value]),
  ),
});

export const confirmBody = async (page: {
  passkeys: Passkeys;
  session: Session;
  language: Language;
  action: string;
  held: { path: string; form: URLSearchParams };
  isWrong: boolean;
}): Promise<Html> => {
  const { passkeys, session, language, action, held, isWrong } = page;
  const { confirm, needsScript } = passkeyWords[language];
  const fields = [...held.form].map(
    ([name, value]) => html`<input type="hidden" name="${heldPrefix}${name}" value="${value}">`,
  );
  return html`<p class="lead">${confirm.lead}</p>
${isWrong ? html`<p class="problem" role="alert">${confirm.wrong}</p>` : undefined}
${passkeyForm({
  action,
  does: 'get',
  challenge: await passkeys.ask(session),
  button: confirm.button,
  needsScript,
  fields: html`<input type="hidden" name="to" value="${held.path}">${fields}`,
})}`;
};
