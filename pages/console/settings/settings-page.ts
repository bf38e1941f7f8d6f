/** Settings of the account apart from its webhook. */
import { type Language, languages } from '../../../postal/stationery.ts';
import { type Html, html } from '../../html.ts';
import { accountField, selectField, textField } from '../form.ts';
import { type Challenge, passkeyForm } from '../passkeys/passkey-form.ts';
import { passkeyWords } from '../passkeys/passkey-words.ts';
import { wrongFields } from '../refusals/problem-words.ts';
import { shownFields } from '../shown-fields.ts';
import { type Kept, settingValues } from '../shown-settings.ts';
import type { Visit } from '../visit.ts';
import { settingsWords } from './settings-words.ts';

const languageNames = (language: Language) => {
  const names = new Intl.DisplayNames(language, { type: 'language' });
  return languages.map((value) => ({ value, label: names.of(value) ?? value }));
};

const passkeyPart = (
  visit: Visit,
  challenge: Challenge | undefined,
  isWrong: boolean,
): Html | undefined => {
  if (!challenge) return undefined;
  const { at, language } = visit;
  const { title, needsScript, register } = passkeyWords[language];
  return html`<h2>${title}</h2>
<p>${register.lead}</p>
${isWrong ? html`<p class="problem" role="alert">${register.wrong}</p>` : undefined}
${passkeyForm({
  action: at('/settings/passkeys'),
  challenge,
  does: 'create',
  button: register.button,
  needsScript,
  fields: html`${accountField(visit)}${textField({ name: 'label', label: register.label })}`,
})}`;
};

export const settingsBody = (
  settings: Kept,
  visit: Visit,
  shown: { notice?: Html | undefined; challenge?: Challenge | undefined; isWrong?: boolean } = {},
): Html => {
  const { notice: problem, challenge, isWrong = false } = shown;
  const { at, form, language, session } = visit;
  const words = settingsWords[language];
  const { accountId, keyId, scope, test } = session.caller;
  const email = problem ? form.get('notification_email') : settings.notification_email;
  const chosen = (problem ? form.get('language') : settings.language) ?? 'en';
  const wrong = wrongFields(visit.problem, language);
  return html`${problem}
${settings.notification_email_confirmed === false ? html`<p class="notice">${words.unconfirmed}</p>` : undefined}
<form method="post" action="${at('/settings')}">
${accountField(visit)}
${shownFields(settingValues(settings, ['notification_email', 'language']))}
${textField({ name: 'notification_email', label: words.email, type: 'email', value: email ?? undefined, hint: words.emailHint, wrong: wrong.get('notification_email'), fill: 'email' })}
${selectField({ name: 'language', label: words.language, value: chosen }, languageNames(language))}
<p><button class="button" type="submit">${words.save}</button></p>
</form>
${passkeyPart(visit, challenge, isWrong)}
<p><a href="${at('/settings/data')}">${words.data}</a></p>
<dl class="facts">
<div><dt>${words.account}</dt><dd>${accountId}</dd></div>
<div><dt>${words.mode.mode}</dt><dd>${test ? words.mode.test : words.mode.live}</dd></div>
<div><dt>${words.key}</dt><dd>${keyId} (${scope})</dd></div>
</dl>`;
};
