/** `/console`: the pages on which a person does what programs do by the API. */

import type { AppError } from '../../contract/errors.ts';
import type { Portal, PortalAnswer, PortalRequest, Session } from '../../contract/portal.ts';
import { pathPrefixOf } from '../../ground/path-prefix.ts';
import { html } from '../html.ts';
import { nothingPage } from '../nothing-page.ts';
import { consoleScript, scriptPath } from './console-script.ts';
import { isOfOtherAccount } from './form.ts';
import { framed, problemNotice } from './frame.ts';
import { frameWords, type Room, rooms } from './frame-words.ts';
import { createMatcher, formPathsOf } from './match-route.ts';
import { fileAnswer, goTo, pageAnswer } from './page-answer.ts';
import { answerIn } from './passkeys/passkey-form.ts';
import type { Passkeys } from './passkeys/passkey-ports.ts';
import { passkeyWords } from './passkeys/passkey-words.ts';
import { confirmBody, heldIn, needsPasskey } from './passkeys/step-up.ts';
import { consolePath } from './paths.ts';
import { reasonOfError } from './refusals/problem-words.ts';
import { routes } from './routes.ts';
import {
  askForLink,
  languageFor,
  type SignInPorts,
  showLink,
  showSignIn,
  signIn,
  signInAddress,
  signInByLink,
  signInByPasskey,
  signOut,
} from './sign-in/sign-in.ts';
import { signedOutPage } from './signed-out-page.ts';
import { Refused, type View, type Visit } from './visit.ts';

type ConsolePorts = Pick<SignInPorts, 'service' | 'mailLink' | 'passkeys' | 'offered'> & {
  /** Public address of the service, without a slash at its end. */
  baseUrl: string;
  cookie: (SignInPorts['cookie'] & { tokenIn(header: string): string | undefined }) | undefined;
  sessions: SignInPorts['sessions'] & {
    find(token: string, address: string): Promise<Session | undefined>;
  };
};

const answerOf = (visit: Visit, room: Room, view: View): PortalAnswer => {
  if ('goTo' in view) return goTo(visit.at(view.goTo));
  if ('file' in view) return fileAnswer(view.file, view.type, view.name);
  return pageAnswer(framed(visit, room, view), view.status);
};

const sayingPage = (
  visit: Visit,
  room: Room,
  { title, detail }: { title: string; detail: string },
  status: number,
): PortalAnswer => {
  const { back } = frameWords[visit.language];
  const body = html`<p>${detail}</p><p><a href="${visit.at('/letters')}">${back}</a></p>`;
  return answerOf(visit, room, { title, body, status });
};

/** Leads to the sign-in page. A form gets a page that keeps what was entered until then. */
const signInFirst = (
  { at, prefix }: Pick<SignInPorts, 'at' | 'prefix'>,
  request: PortalRequest,
): PortalAnswer =>
  request.method === 'POST'
    ? signedOutPage(languageFor(request), prefix, at('/sign-in'))
    : goTo(signInAddress({ at }, request));

/** The page for what an operation refused. */
const refusedPage = (visit: Visit, room: Room, { problem }: Refused): PortalAnswer => {
  const words = frameWords[visit.language];
  if (problem.status !== 404) {
    const body = problemNotice(problem, visit.language);
    return answerOf(visit, room, { body, status: problem.status });
  }
  return sayingPage(visit, room, words.notFound, 404);
};

const noPage = (): Refused =>
  new Refused({ status: 404, code: 'not_found', title: '', detail: '' });

const match = createMatcher(routes);

/** Asks for a passkey before a form is obeyed. */
const confirmPage = async (
  visit: Visit,
  passkeys: Passkeys,
  asked: { held: ReturnType<typeof heldIn>; isWrong: boolean },
): Promise<PortalAnswer> => {
  const { session, language, at } = visit;
  const body = await confirmBody({
    passkeys,
    session,
    language,
    action: at(confirmPath),
    ...asked,
  });
  const { title } = passkeyWords[language].confirm;
  const room = rooms.find((one) => asked.held.path.startsWith(`/${one}`)) ?? 'letters';
  return answerOf(visit, room, { title, body, status: 403 });
};

const serveSignedIn = async (
  ports: SignInPorts,
  request: PortalRequest,
  session: Session,
): Promise<PortalAnswer> => {
  const { at, stylesheet, script, passkeys, offered } = ports;
  const { method, path, query, form, file, call } = request;
  const found = match(method, path);
  const language = languageFor(request);
  const params = found?.params ?? {};
  const page = { query, form, file, at, stylesheet, script, call, passkeys, offered };
  const visit: Visit = { session, language, path, params, ...page };
  const room = found?.route.room ?? 'letters';
  try {
    if (!found) throw noPage();
    if (isOfOtherAccount(visit)) {
      return sayingPage(visit, room, frameWords[language].otherAccount, 409);
    }
    if (passkeys && (await needsPasskey(found.route, session, passkeys))) {
      return await confirmPage(visit, passkeys, { held: { path, form }, isWrong: false });
    }
    return answerOf(visit, room, await found.route.handle(visit));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (error.problem.status === 401) return signInFirst(ports, request);
    return refusedPage(visit, room, error);
  }
};

/** The form that waits is sent once a passkey of the account answered. */
const serveConfirmed = async (
  ports: SignInPorts & { passkeys: Passkeys },
  request: PortalRequest,
  session: Session,
): Promise<PortalAnswer> => {
  const { at, stylesheet, script, passkeys, offered } = ports;
  const { path, form, query, file, call } = request;
  const held = heldIn(form);
  const confirmedBy = await passkeys.confirm(answerIn(form), session);
  if (confirmedBy !== undefined) {
    const waiting: PortalRequest = { ...request, ...held, query: new URLSearchParams() };
    return serveSignedIn(ports, waiting, { ...session, confirmedBy });
  }
  const language = languageFor(request);
  const page = { path, query, form, file, at, stylesheet, script, call, passkeys, offered };
  return confirmPage({ session, language, params: {}, ...page }, passkeys, { held, isWrong: true });
};

/** The page for requests that were refused before a page could be made. */
const refusalPage = (
  error: AppError,
  language: ReturnType<typeof languageFor>,
  prefix: string,
): PortalAnswer =>
  pageAnswer(
    nothingPage(language, prefix, {
      title: frameWords[language].refused,
      detail: reasonOfError(error, language),
    }),
    error.status,
    error.headers,
  );

type OpenRoute = {
  method: 'GET' | 'POST';
  path: string;
  handle(ports: SignInPorts, request: PortalRequest): PortalAnswer | Promise<PortalAnswer>;
};

const scriptFile = () => fileAnswer(consoleScript, 'text/javascript; charset=utf-8');

/** Routes that need no session. */
const openRoutes: readonly OpenRoute[] = [
  { method: 'GET', path: '/sign-in', handle: showSignIn },
  { method: 'POST', path: '/sign-in', handle: signIn },
  { method: 'POST', path: '/sign-in/passkey', handle: signInByPasskey },
  { method: 'POST', path: '/sign-in/mail', handle: askForLink },
  { method: 'GET', path: '/sign-in/link', handle: showLink },
  { method: 'POST', path: '/sign-in/link', handle: signInByLink },
  { method: 'POST', path: '/sign-out', handle: signOut },
  { method: 'GET', path: scriptPath, handle: scriptFile },
];

const matchOpen = createMatcher(openRoutes);
const confirmPath = '/confirm';

export const consolePortal = (ports: ConsolePorts): Portal => {
  const prefix = pathPrefixOf(ports.baseUrl);
  const { service, cookie, sessions, mailLink, passkeys, offered } = ports;
  const stylesheet = `${prefix}/audit/page.css`;
  const at = (path: string): string => `${prefix}${consolePath}${path}`;
  const script = at(scriptPath);
  const open: SignInPorts = {
    service,
    cookie,
    sessions,
    mailLink,
    passkeys,
    offered,
    prefix,
    stylesheet,
    script,
    at,
    hasPage: (path) => match('GET', path) !== undefined,
  };
  return {
    path: consolePath,
    forms: [...formPathsOf(openRoutes), confirmPath, ...formPathsOf(routes)],

    async sessionOf(cookies, address) {
      const token = cookie?.tokenIn(cookies);
      return token === undefined ? undefined : sessions.find(token, address);
    },

    async serve(request) {
      const { method, path, session } = request;
      const answer = await matchOpen(method, path)?.route.handle(open, request);
      if (answer) return answer;
      if (!session) return signInFirst(open, request);
      if (method === 'POST' && path === confirmPath && passkeys) {
        return serveConfirmed({ ...open, passkeys }, request, session);
      }
      return path === '' ? goTo(at('/letters')) : serveSignedIn(open, request, session);
    },

    refuse(reason, headers) {
      const language = languageFor({ headers });
      if (reason === 'cross_site') {
        return pageAnswer(nothingPage(language, prefix, frameWords[language].crossSite), 403);
      }
      if (reason.code === 'authentication_required') {
        return signedOutPage(language, prefix, at('/sign-in'));
      }
      return refusalPage(reason, language, prefix);
    },
  };
};
