/** How operators and auditors sign in: by a one-time link, or with the identity provider of their organisation. */
import { ProviderAway, type Refused } from '../../../contract/operator-refused.ts';
import type { OperatorRights } from '../../../contract/operator-session.ts';
import type { PortalAnswer, PortalRequest } from '../../../contract/portal.ts';
import { type Html, html } from '../../html.ts';
import { layout } from '../../layout.ts';
import { fieldOf, textField } from '../form.ts';
import { goTo, pageAnswer } from '../page-answer.ts';
import { refusalNotice } from './operator-frame.ts';

type Cookie = {
  tokenIn(header: string): string | undefined;
  holding(token: string, lastsMs?: number): string;
  removed: string;
  isSafeAt(host: string | undefined): boolean;
};

/** An identity provider (OpenID Connect). Messages of errors are for the person who signs in. */
type IdentityProvider = {
  /** Where the person goes, and what the browser keeps until they come back. @throws Refused */
  begin(): Promise<{ address: string; kept: string }>;
  /** The person who came back, and their role. @throws Refused */
  finish(
    query: URLSearchParams,
    kept: string,
  ): Promise<{ operator: string; rights: OperatorRights }>;
};

export type OperatorSignInPorts = {
  service: string;
  /** Undefined: sessions would travel in clear text. */
  cookie: Cookie | undefined;
  /** Keeps what belongs to a sign-in that is under way. */
  loginCookie: Cookie | undefined;
  provider: IdentityProvider | undefined;
  sessions: {
    begin(operator: string, rights: OperatorRights): Promise<string>;
    beginByLink(code: string): Promise<string | undefined>;
  };
  at(path: string): string;
  file(path: string): string;
};

const loginMs = 10 * 60_000;

const pageOf = ({ file, service }: OperatorSignInPorts, body: Html, script?: Html): string =>
  layout({
    title: `Sign in · ${service}`,
    language: 'en',
    stylesheet: file('/audit/page.css'),
    ...(script === undefined ? {} : { script }),
    body: html`<main class="sheet" id="content">
<h1>Operator</h1>
${body}
</main>`,
  });

const insecure = (ports: OperatorSignInPorts): PortalAnswer =>
  pageAnswer(
    pageOf(
      ports,
      html`<p>The console needs https: a session would travel in clear text. Set BASE_URL to an https address.</p>`,
    ),
    403,
  );

/** The cookies for this browser; undefined where a session would travel in clear text. */
const cookiesFor = ({ cookie, loginCookie }: OperatorSignInPorts, { headers }: PortalRequest) =>
  cookie && loginCookie && cookie.isSafeAt(String(headers.host))
    ? { session: cookie, login: loginCookie }
    : undefined;

const signInPage = (ports: OperatorSignInPorts, refusal?: string): string => {
  const { at, file, provider, service } = ports;
  return pageOf(
    ports,
    html`<p>Sign in to look after ${service}. The session ends after an hour without use, and after 12 hours.</p>
${refusal === undefined ? undefined : refusalNotice(refusal)}
${provider === undefined ? undefined : html`<p><a class="button" href="${at('/sign-in/provider')}">Sign in with your organisation</a></p>`}
<form method="post" action="${at('/sign-in')}">
${textField({
  name: 'token',
  label: 'Link or code',
  type: 'password',
  required: true,
  hint: 'Run: npm run operator -- console-link. The link works once, for 15 minutes.',
})}
<p><button class="button" type="submit">Sign in</button></p>
</form>`,
    html`<script src="${file('/console/console.js')}" defer></script>`,
  );
};

export const showOperatorSignIn = (
  ports: OperatorSignInPorts,
  request: PortalRequest,
): PortalAnswer => (cookiesFor(ports, request) ? pageAnswer(signInPage(ports)) : insecure(ports));

/** The code in what was pasted: a link has it at its end. */
const codeIn = (text: string): string => text.trim().split('#token=').at(-1) ?? '';

const welcome = (ports: OperatorSignInPorts, cookie: string): PortalAnswer =>
  goTo(ports.at(''), { 'Set-Cookie': cookie });

export const signInByLink = async (
  ports: OperatorSignInPorts,
  request: PortalRequest,
): Promise<PortalAnswer> => {
  const cookies = cookiesFor(ports, request);
  if (!cookies) return insecure(ports);
  const code = codeIn(fieldOf(request.form, 'token') ?? '');
  const token = await ports.sessions.beginByLink(code);
  if (token !== undefined) return welcome(ports, cookies.session.holding(token));
  const refusal =
    'This link does not work. It was used, is older than 15 minutes, or is not whole.';
  return pageAnswer(signInPage(ports, refusal), 403);
};

/** Leads to the identity provider. */
export const beginProviderSignIn = async (
  ports: OperatorSignInPorts,
  request: PortalRequest,
): Promise<PortalAnswer | undefined> => {
  const cookies = cookiesFor(ports, request);
  if (!ports.provider) return undefined;
  if (!cookies) return insecure(ports);
  const { address, kept } = await ports.provider.begin();
  return goTo(address, { 'Set-Cookie': cookies.login.holding(kept, loginMs) });
};

/** The identity provider sent the person back. */
export const finishProviderSignIn = async (
  ports: OperatorSignInPorts,
  request: PortalRequest,
): Promise<PortalAnswer | undefined> => {
  const cookies = cookiesFor(ports, request);
  if (!ports.provider) return undefined;
  if (!cookies) return insecure(ports);
  const kept = cookies.login.tokenIn(String(request.headers.cookie ?? '')) ?? '';
  const { operator, rights } = await ports.provider.finish(request.query, kept);
  const token = await ports.sessions.begin(operator, rights);
  return welcome(ports, cookies.session.holding(token));
};

/** The sign-in page with why the identity provider cannot be used. */
export const providerRefusal = (ports: OperatorSignInPorts, refusal: Refused): PortalAnswer =>
  pageAnswer(signInPage(ports, refusal.message), refusal instanceof ProviderAway ? 503 : 403);
