/** The page on which a person pastes an API key. */
import { type Language, languages } from '../../../postal/stationery.ts';
import { type Html, html } from '../../html.ts';
import { layout } from '../../layout.ts';
import { textField } from '../form.ts';
import { type Challenge, passkeyForm } from '../passkeys/passkey-form.ts';
import { passkeyWords } from '../passkeys/passkey-words.ts';
import { signInWords } from './sign-in-words.ts';

type SignInPage = {
  language: Language;
  service: { name: string; contact: string | undefined };
  /** Of the page itself. */
  action: string;
  /** The path of the page that the sign-in leads to, with its query. */
  target?: string | undefined;
  stylesheet: string;
  wrongKey?: boolean;
  /** Where a link by e-mail is asked for; absent where the service sends no mails. */
  mailAction?: string | undefined;
  passkey?: { action: string; challenge: Challenge; script: string } | undefined;
  wrongPasskey?: boolean;
  /** A link was asked for. */
  isAsked?: boolean;
};

const ownNames: Record<Language, string> = { de: 'Deutsch', fr: 'Français', en: 'English' };

const languageLinks = ({ action, language, target }: SignInPage): Html => {
  const addressIn = (one: Language): string =>
    `${action}?${new URLSearchParams({ language: one, ...(target === undefined ? {} : { to: target }) })}`;
  return html`<ul class="choices">
${languages.map((one) =>
  one === language
    ? html`<li lang="${one}" aria-current="true">${ownNames[one]}</li>`
    : html`<li><a href="${addressIn(one)}" lang="${one}" hreflang="${one}">${ownNames[one]}</a></li>`,
)}
</ul>`;
};

/** Goes with each form of the page. */
const hiddenFields = ({ language, target }: SignInPage): Html =>
  html`<input type="hidden" name="language" value="${language}">${target === undefined ? undefined : html`<input type="hidden" name="to" value="${target}">`}`;

const frame = (page: SignInPage, title: string, body: Html, script?: Html): string =>
  layout({
    title,
    language: page.language,
    stylesheet: page.stylesheet,
    ...(script ? { script } : {}),
    body: html`<main class="sheet">
<header class="head">
  <p class="kind">${page.service.name}</p>
  <h1>${title}</h1>
</header>
${body}
<nav aria-label="${signInWords[page.language].languages}">${languageLinks(page)}</nav>
</main>`,
  });

const mailForm = (page: SignInPage): Html | undefined => {
  const { mailAction, language } = page;
  if (mailAction === undefined) return undefined;
  const { mail } = signInWords[language];
  return html`<h2>${mail.title}</h2>
<p>${mail.lead}</p>
<form method="post" action="${mailAction}">
${hiddenFields(page)}
${textField({ name: 'email', label: mail.email, type: 'email', required: true, fill: 'email' })}
<p><button class="button" type="submit">${mail.button}</button></p>
</form>`;
};

const passkeyPart = (page: SignInPage): Html | undefined => {
  const { passkey, language } = page;
  if (!passkey) return undefined;
  const { title, needsScript, signIn } = passkeyWords[language];
  const { action, challenge } = passkey;
  return html`<h2>${title}</h2>
<p>${signIn.lead}</p>
${passkeyForm({
  action,
  challenge,
  does: 'get',
  button: signIn.button,
  needsScript,
  fields: hiddenFields(page),
})}`;
};

export const signInPage = (page: SignInPage): string => {
  const words = signInWords[page.language];
  return frame(
    page,
    words.title,
    html`<p class="lead">${words.lead}</p>
${page.wrongKey ? html`<p class="problem" role="alert">${words.wrongKey}</p>` : undefined}
${page.wrongPasskey ? html`<p class="problem" role="alert">${passkeyWords[page.language].signIn.wrong}</p>` : undefined}
${page.isAsked ? html`<p class="notice" role="status">${words.mail.asked}</p>` : undefined}
<form method="post" action="${page.action}">
${hiddenFields(page)}
${textField({ name: 'api_key', label: words.key, type: 'password', required: true, hint: words.hint })}
<p><button class="button" type="submit">${words.button}</button></p>
</form>
${passkeyPart(page)}
${mailForm(page)}`,
    page.passkey && html`<script type="module" src="${page.passkey.script}"></script>`,
  );
};

/** Where the service has an address without https. */
export const insecurePage = (page: SignInPage): string => {
  const { title, detail } = signInWords[page.language].insecure;
  return frame(page, title, html`<p class="lead">${detail}</p>`);
};

type LinkPage = SignInPage & {
  script: string;
  /** The link opens nothing. */
  isUsed?: boolean;
};

/**
 * The page behind a link. The script puts the code of the link into the form; without scripts, people paste
 * it.
 */
export const linkPage = (page: LinkPage): string => {
  const { link, button } = signInWords[page.language];
  return frame(
    page,
    link.title,
    html`<p class="lead">${link.lead}</p>
${page.isUsed ? html`<p class="problem" role="alert">${link.used}</p>` : undefined}
<form method="post" action="${page.action}">
<input type="hidden" name="language" value="${page.language}">
${textField({ name: 'token', label: link.code, required: true, hint: link.hint })}
<p><button class="button" type="submit">${button}</button></p>
</form>`,
    html`<script type="module" src="${page.script}"></script>`,
  );
};
