/** Sign-in and sign-out: the only pages of the console that need no session. */
import { isAppError } from '../../../contract/errors.ts';
import type { PortalAnswer, PortalRequest, Session } from '../../../contract/portal.ts';
import type { Offered } from '../../../postal/services.ts';
import { type Language, languages } from '../../../postal/stationery.ts';
import { preferredLanguage } from '../../../presenters/preferred-language.ts';
import { fieldOf } from '../form.ts';
import { goTo, pageAnswer } from '../page-answer.ts';
import { answerIn } from '../passkeys/passkey-form.ts';
import type { Passkeys } from '../passkeys/passkey-ports.ts';
import { insecurePage, linkPage, signInPage } from './sign-in-page.ts';
import { signInPathFor, targetIn } from './target.ts';

/** The network address of the person who signs in, and the chosen language. */
type About = { address: string; language: string | undefined };

export type SignInPorts = {
  service: { name: string; contact: string | undefined };
  at(path: string): string;
  /** The services that letters go by. */
  offered: Offered;
  /** Whether the console has a page at a path. */
  hasPage(path: string): boolean;
  /** The path of the public address of the service. */
  prefix: string;
  stylesheet: string;
  /** The address of the script of the console. */
  script: string;
  /** Sends a link to the holder of a confirmed address; undefined where the service sends no mails. */
  mailLink?: ((email: string) => void) | undefined;
  passkeys?: Passkeys | undefined;
  /** Undefined: keys and sessions would travel in clear text. */
  cookie:
    | {
        holding(token: string): string;
        removed: string;
        isSafeAt(host: string | undefined): boolean;
      }
    | undefined;
  sessions: {
    /** @throws AppError invalid_api_key, rate_limited */
    begin(apiKey: string, about: About): Promise<string>;
    /** Uses a link up; undefined where it opens nothing. */
    beginByLink(token: string, about: About): Promise<string | undefined>;
    /** Undefined where the answer is of no passkey that counts. */
    beginByPasskey(
      answered: { ticket: string; answer: string },
      about: About,
    ): Promise<string | undefined>;
    end(id: string): Promise<void>;
  };
};

export const languageFor = (
  request: Pick<PortalRequest, 'headers'> & { session?: Session | undefined },
  chosen?: string | null,
): Language =>
  languages.find((one) => one === (chosen ?? request.session?.language)) ??
  preferredLanguage(String(request.headers['accept-language'] ?? ''));

const startPath = '/letters';

/** The address of the sign-in page. After signing in, it leads to the page that was asked for. */
export const signInAddress = (
  ports: Pick<SignInPorts, 'at'>,
  request: Pick<PortalRequest, 'path' | 'query'>,
): string => ports.at(signInPathFor(request, startPath));

const pageOf = (ports: SignInPorts, request: PortalRequest, fields: URLSearchParams) => ({
  language: languageFor(request, fields.get('language')),
  service: ports.service,
  action: ports.at('/sign-in'),
  target: targetIn(ports.hasPage, fields.get('to')),
  mailAction: ports.mailLink && ports.at('/sign-in/mail'),
  stylesheet: ports.stylesheet,
});

/** The cookie for the browser; undefined where its key would travel in clear text. */
const cookieFor = ({ cookie }: SignInPorts, { headers }: PortalRequest) =>
  cookie?.isSafeAt(String(headers.host)) ? cookie : undefined;

/** The challenge for a browser that has a passkey. */
const passkeyOf = async ({ passkeys, at, script }: SignInPorts) =>
  passkeys && { action: at('/sign-in/passkey'), challenge: await passkeys.ask(), script };

export const showSignIn = async (
  ports: SignInPorts,
  request: PortalRequest,
): Promise<PortalAnswer> => {
  const page = pageOf(ports, request, request.query);
  if (request.session) return goTo(ports.at(page.target ?? startPath));
  if (!cookieFor(ports, request)) return pageAnswer(insecurePage(page), 403);
  return pageAnswer(signInPage({ ...page, passkey: await passkeyOf(ports) }));
};

type Safe = {
  page: ReturnType<typeof pageOf>;
  cookie: NonNullable<SignInPorts['cookie']>;
  about: About;
};

/** A form that begins a session. It works only at an address where the cookie is safe. */
const signInForm =
  (handle: (ports: SignInPorts, request: PortalRequest, safe: Safe) => Promise<PortalAnswer>) =>
  async (ports: SignInPorts, request: PortalRequest): Promise<PortalAnswer> => {
    const { form, address } = request;
    const page = pageOf(ports, request, form);
    const cookie = cookieFor(ports, request);
    if (!cookie) return pageAnswer(insecurePage(page), 403);
    const language = languages.find((one) => one === form.get('language'));
    return handle(ports, request, { page, cookie, about: { address, language } });
  };

export const signInByPasskey = signInForm(async (ports, request, { page, cookie, about }) => {
  const token = await ports.sessions.beginByPasskey(answerIn(request.form), about);
  if (token !== undefined) return enter(ports, request, cookie, token);
  const passkey = await passkeyOf(ports);
  return pageAnswer(signInPage({ ...page, passkey, wrongPasskey: true }), 403);
});

/** The browser gets a new session, and the one that it had ends. */
const enter = async (
  ports: SignInPorts,
  { session, form }: PortalRequest,
  { holding }: NonNullable<SignInPorts['cookie']>,
  token: string,
): Promise<PortalAnswer> => {
  if (session) await ports.sessions.end(session.id);
  const target = targetIn(ports.hasPage, form.get('to')) ?? startPath;
  return goTo(ports.at(target), { 'Set-Cookie': holding(token) });
};

const mostAddressChars = 254;

/** Says the same of every address, so that nobody learns which ones have an account. */
export const askForLink = async (
  ports: SignInPorts,
  request: PortalRequest,
): Promise<PortalAnswer> => {
  const page = pageOf(ports, request, request.form);
  if (!cookieFor(ports, request)) return pageAnswer(insecurePage(page), 403);
  const email = request.form.get('email')?.trim() ?? '';
  if (/^\S+@\S+$/.test(email) && email.length <= mostAddressChars) ports.mailLink?.(email);
  return pageAnswer(signInPage({ ...page, passkey: await passkeyOf(ports), isAsked: true }));
};

/** The page of a link. Opening it changes nothing, because programs open links of mails, too. */
export const showLink = (ports: SignInPorts, request: PortalRequest): PortalAnswer => {
  const page = pageOf(ports, request, request.query);
  if (!cookieFor(ports, request)) return pageAnswer(insecurePage(page), 403);
  return pageAnswer(linkPage({ ...page, action: ports.at('/sign-in/link'), script: ports.script }));
};

/** Uses a link up. */
export const signInByLink = signInForm(async (ports, request, { page, cookie, about }) => {
  const given = (request.form.get('token') ?? '').trim().replace(/^.*#token=/, '');
  const token = await ports.sessions.beginByLink(given, about);
  if (token !== undefined) return enter(ports, request, cookie, token);
  const { script } = ports;
  const action = ports.at('/sign-in/link');
  return pageAnswer(linkPage({ ...page, action, script, isUsed: true }), 403);
});

/** Begins a session under a new token, and ends the one that the browser had. */
export const signIn = signInForm(async (ports, request, { page, cookie, about }) => {
  try {
    const apiKey = fieldOf(request.form, 'api_key')?.trim() ?? '';
    const token = await ports.sessions.begin(apiKey, about);
    return await enter(ports, request, cookie, token);
  } catch (error) {
    if (!isAppError(error) || error.status !== 401) throw error;
    return pageAnswer(
      signInPage({ ...page, passkey: await passkeyOf(ports), wrongKey: true }),
      403,
    );
  }
});

export const signOut = async (
  ports: SignInPorts,
  { session }: PortalRequest,
): Promise<PortalAnswer> => {
  if (session) await ports.sessions.end(session.id);
  const address = ports.at('/sign-in');
  return ports.cookie ? goTo(address, { 'Set-Cookie': ports.cookie.removed }) : goTo(address);
};
