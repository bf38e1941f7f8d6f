/** How operators and auditors sign in: by a one-time link, or with the identity provider of their organisation. */
import { randomInt } from 'node:crypto';
import { ProviderAway, type Refused } from '../../../contract/operator-refused.ts';
import type { OperatorRights, OperatorSession } from '../../../contract/operator-session.ts';
import type { PortalAnswer, PortalRequest } from '../../../contract/portal.ts';
import { type Language, languages } from '../../../postal/stationery.ts';
import { type Html, html } from '../../html.ts';
import { layout } from '../../layout.ts';
import { fieldOf, textField } from '../form.ts';
import { goTo, pageAnswer } from '../page-answer.ts';
import { languageFor } from '../sign-in/sign-in.ts';
import { targetIn } from '../sign-in/target.ts';
import { refusalNotice } from './operator-frame.ts';
import { operatorFrameWords } from './operator-frame-words.ts';
import { operatorSignInWords } from './operator-sign-in-words.ts';

type Cookie = {
  tokenIn(header: string): string | undefined;
  holding(token: string, lastsMs?: number): string;
  removed: string;
  isSafeAt(host: string | undefined): boolean;
};

/** An identity provider (OpenID Connect). Messages of errors are for the person who signs in. */
type IdentityProvider = {
  /** Where the person goes, and what the browser keeps until they come back. @throws Refused */
  begin(): Promise<{ address: string; state: string; kept: string }>;
  /** The person who came back, and their role. @throws Refused */
  finish(
    query: URLSearchParams,
    begun: { state: string; kept: string },
  ): Promise<{ operator: string; rights: OperatorRights }>;
};

export type OperatorSignInPorts = {
  service: string;
  /** Undefined: sessions would travel in clear text. */
  cookie: Cookie | undefined;
  /** Each cookie keeps the data of a sign-in that is under way in one tab of the browser. */
  loginCookies: readonly Cookie[];
  provider: IdentityProvider | undefined;
  sessions: {
    begin(who: {
      operator: string;
      rights: OperatorRights;
      language: string | undefined;
    }): Promise<string>;
    beginByLink(code: string, language: string | undefined): Promise<string | undefined>;
    find(token: string): Promise<OperatorSession | undefined>;
    end(id: string): Promise<void>;
  };
  at(path: string): string;
  /** Whether the console has a page at a path. */
  hasPage(path: string): boolean;
  file(path: string): string;
};

const loginMs = 10 * 60_000;

/** In each login cookie. With all of them, the head of a request stays far below the 16 kB that a server takes. */
const mostKeptChars = 300;

const ownNames: Record<Language, string> = { de: 'Deutsch', fr: 'Français', en: 'English' };

/** The query that keeps a language and the page that was asked for. */
const queryOf = (language: Language, target: string | undefined): string =>
  String(new URLSearchParams({ language, ...(target === undefined ? {} : { to: target }) }));

const languageLinks = (
  { at }: OperatorSignInPorts,
  language: Language,
  target: string | undefined,
): Html =>
  html`<nav aria-label="${operatorSignInWords[language].languages}"><ul class="choices">
${languages.map((one) =>
  one === language
    ? html`<li lang="${one}" aria-current="true">${ownNames[one]}</li>`
    : html`<li><a href="${at(`/sign-in?${queryOf(one, target)}`)}" lang="${one}" hreflang="${one}">${ownNames[one]}</a></li>`,
)}
</ul></nav>`;

const pageOf = (
  ports: OperatorSignInPorts,
  { language, target }: { language: Language; target?: string | undefined },
  body: Html,
  script?: Html,
): string =>
  layout({
    title: `${operatorSignInWords[language].title} · ${ports.service}`,
    language,
    stylesheet: ports.file('/audit/page.css'),
    ...(script === undefined ? {} : { script }),
    body: html`<main class="sheet" id="content">
<h1>${operatorFrameWords[language].operator}</h1>
${body}
${languageLinks(ports, language, target)}
</main>`,
  });

/** The language that a person chose on the sign-in page; undefined: none. */
const chosenIn = ({ query, form }: PortalRequest): Language | undefined =>
  languages.find((one) => one === (query.get('language') ?? form.get('language')));

/** The page that a person asked for before signing in; undefined: none that exists. */
const targetOf = (
  { hasPage }: OperatorSignInPorts,
  { query, form }: PortalRequest,
): string | undefined => targetIn(hasPage, query.get('to') ?? form.get('to'));

const languageOf = (request: PortalRequest): Language =>
  languageFor({ headers: request.headers }, chosenIn(request));

const insecure = (ports: OperatorSignInPorts, request: PortalRequest): PortalAnswer => {
  const language = languageOf(request);
  const body = html`<p>${operatorSignInWords[language].insecure}</p>`;
  return pageAnswer(pageOf(ports, { language }, body), 403);
};

/** The cookie for this browser; undefined where a session would travel in clear text. */
const cookieFor = (
  { cookie }: OperatorSignInPorts,
  { headers }: PortalRequest,
): Cookie | undefined => (cookie?.isSafeAt(String(headers.host)) ? cookie : undefined);

const providerLink = (
  { at, provider }: OperatorSignInPorts,
  language: Language,
  target: string | undefined,
) =>
  provider &&
  html`<p><a class="button" href="${at(`/sign-in/provider?${queryOf(language, target)}`)}">${operatorSignInWords[language].provider}</a></p>`;

const signInPage = (ports: OperatorSignInPorts, request: PortalRequest, refusal?: Html): string => {
  const { at, file, service } = ports;
  const language = languageOf(request);
  const target = targetOf(ports, request);
  const words = operatorSignInWords[language];
  const body = html`<p>${words.lead(service)}</p>
${refusal}
${providerLink(ports, language, target)}
<form method="post" action="${at('/sign-in')}">
<input type="hidden" name="language" value="${language}">${target === undefined ? undefined : html`<input type="hidden" name="to" value="${target}">`}
${textField({ name: 'token', label: words.link, type: 'password', required: true, hint: words.hint })}
<p><button class="button" type="submit">${words.button}</button></p>
</form>`;
  const script = html`<script src="${file('/console/console.js')}" defer></script>`;
  return pageOf(ports, { language, target }, body, script);
};

export const showOperatorSignIn = (
  ports: OperatorSignInPorts,
  request: PortalRequest,
): PortalAnswer =>
  cookieFor(ports, request) ? pageAnswer(signInPage(ports, request)) : insecure(ports, request);

/** The code in a pasted text: a link has it at its end. */
const codeIn = (text: string): string => text.trim().split('#token=').at(-1) ?? '';

const cookiesIn = ({ headers }: PortalRequest): string => String(headers.cookie ?? '');

/** The session that the browser has. */
export const sessionIn = async (
  { cookie, sessions }: Pick<OperatorSignInPorts, 'cookie' | 'sessions'>,
  request: PortalRequest,
): Promise<OperatorSession | undefined> => {
  const token = cookie?.tokenIn(cookiesIn(request));
  return token === undefined ? undefined : sessions.find(token);
};

/** The browser gets a new session, and the one that it had ends. It goes to the page that was asked for. */
const enter = async (
  ports: OperatorSignInPorts,
  request: PortalRequest,
  { holding }: Cookie,
  { token, target = '' }: { token: string; target: string | undefined },
): Promise<PortalAnswer> => {
  const before = await sessionIn(ports, request);
  if (before) await ports.sessions.end(before.id);
  return goTo(ports.at(target), { 'Set-Cookie': holding(token) });
};

export const signInByLink = async (
  ports: OperatorSignInPorts,
  request: PortalRequest,
): Promise<PortalAnswer> => {
  const cookie = cookieFor(ports, request);
  if (!cookie) return insecure(ports, request);
  const code = codeIn(fieldOf(request.form, 'token') ?? '');
  const token = await ports.sessions.beginByLink(code, chosenIn(request));
  const target = targetOf(ports, request);
  if (token !== undefined) return enter(ports, request, cookie, { token, target });
  const refusal = html`<p class="problem" role="alert">${operatorSignInWords[languageOf(request)].used}</p>`;
  return pageAnswer(signInPage(ports, request, refusal), 403);
};

/** A cookie that the browser does not have yet, or any cookie if it has all of them. */
const freeCookie = (cookies: readonly Cookie[], sent: string): Cookie | undefined => {
  const free = cookies.filter((one) => one.tokenIn(sent) === undefined);
  const some = free.length > 0 ? free : cookies;
  return some[randomInt(some.length)];
};

/** Leads to the identity provider. */
export const beginProviderSignIn = async (
  ports: OperatorSignInPorts,
  request: PortalRequest,
): Promise<PortalAnswer | undefined> => {
  if (!ports.provider) return undefined;
  if (!cookieFor(ports, request)) return insecure(ports, request);
  const cookie = freeCookie(ports.loginCookies, cookiesIn(request));
  const { address, state, kept } = await ports.provider.begin();
  const to = Buffer.from(targetOf(ports, request) ?? '').toString('base64url');
  const login = [state, chosenIn(request) ?? '', kept, to.length > mostKeptChars ? '' : to];
  return goTo(address, cookie ? { 'Set-Cookie': cookie.holding(login.join(':'), loginMs) } : {});
};

/** The sign-in that began in this browser and belongs to the answer of the provider; empty: none. */
const loginIn = ({ loginCookies }: OperatorSignInPorts, request: PortalRequest): string[] => {
  const sent = cookiesIn(request);
  const logins = loginCookies.map((one) => one.tokenIn(sent)?.split(':') ?? []);
  return logins.find(([state]) => state === request.query.get('state')) ?? [];
};

/** The identity provider sent the person back. */
export const finishProviderSignIn = async (
  ports: OperatorSignInPorts,
  request: PortalRequest,
): Promise<PortalAnswer | undefined> => {
  const cookie = cookieFor(ports, request);
  if (!ports.provider) return undefined;
  if (!cookie) return insecure(ports, request);
  const [state = '', chosen = '', kept = '', to = ''] = loginIn(ports, request);
  const who = await ports.provider.finish(request.query, { state, kept });
  const language = languages.find((one) => one === chosen);
  const token = await ports.sessions.begin({ ...who, language });
  const target = targetIn(ports.hasPage, String(Buffer.from(to, 'base64url')));
  return enter(ports, request, cookie, { token, target });
};

/** The sign-in page with why the identity provider cannot be used. */
export const providerRefusal = (
  ports: OperatorSignInPorts,
  request: PortalRequest,
  refusal: Refused,
): PortalAnswer => {
  const notice = refusalNotice(refusal.message, languageOf(request));
  const status = refusal instanceof ProviderAway ? 503 : 403;
  return pageAnswer(signInPage(ports, request, notice), status);
};
