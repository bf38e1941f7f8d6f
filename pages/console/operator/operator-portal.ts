/** `/console/operator`: the pages of the people who run the service. Their sessions are no sessions of accounts. */

import { AppError, isAppError } from '../../../contract/errors.ts';
import { Refused, UsageError } from '../../../contract/operator-refused.ts';
import type { Portal, PortalAnswer, PortalRequest } from '../../../contract/portal.ts';
import { pathPrefixOf } from '../../../ground/path-prefix.ts';
import { html } from '../../html.ts';
import { nothingPage } from '../../nothing-page.ts';
import { createMatcher, formPathsOf } from '../match-route.ts';
import { fileAnswer, goTo, pageAnswer } from '../page-answer.ts';
import { operatorPath } from '../paths.ts';
import { reasonOfError } from '../refusals/problem-words.ts';
import { languageFor } from '../sign-in/sign-in.ts';
import { signInPathFor } from '../sign-in/target.ts';
import { signedOutPage } from '../signed-out-page.ts';
import { accountsRoutes } from './accounts-routes.ts';
import { auditRoutes } from './audit-routes.ts';
import type { Desk } from './desk.ts';
import { lettersRoutes } from './letters-routes.ts';
import { operatorFrame, refusalNotice } from './operator-frame.ts';
import { operatorFrameWords } from './operator-frame-words.ts';
import type { OperatorRoom } from './operator-rooms.ts';
import {
  beginProviderSignIn,
  finishProviderSignIn,
  type OperatorSignInPorts,
  providerRefusal,
  sessionIn,
  showOperatorSignIn,
  signInByLink,
} from './operator-sign-in.ts';
import {
  Missing,
  type OperatorRoute,
  type OperatorView,
  type OperatorVisit,
} from './operator-visit.ts';
import { overviewRoutes } from './overview-routes.ts';
import { systemRoutes } from './system-routes.ts';
import { workRoutes } from './work-routes.ts';

export const operatorRoutes: readonly OperatorRoute[] = [
  ...overviewRoutes,
  ...accountsRoutes,
  ...lettersRoutes,
  ...workRoutes,
  ...systemRoutes,
  ...auditRoutes,
];

type Ports = Omit<OperatorSignInPorts, 'at' | 'file' | 'hasPage'> & {
  /** Public address of the service, without a slash at its end. */
  baseUrl: string;
  desk: Desk;
};

const match = createMatcher(operatorRoutes);

const answerOf = (visit: OperatorVisit, room: OperatorRoom, view: OperatorView): PortalAnswer => {
  if ('goTo' in view) return goTo(visit.at(view.goTo));
  if ('leaveFor' in view) return goTo(view.leaveFor);
  if ('page' in view) return pageAnswer(view.page);
  if ('file' in view) return fileAnswer(view.file, view.type, view.name);
  return pageAnswer(operatorFrame(visit, room, view), view.status);
};

/** The sentence and the status to show to the person; undefined: nothing that may be shown. */
const refusalOf = (error: unknown): { message: string; status: number } | undefined => {
  if (error instanceof Refused) return { message: error.message, status: 409 };
  if (error instanceof UsageError) return { message: error.message, status: 422 };
  return isAppError(error) && error.status < 500
    ? { message: error.message, status: error.status }
    : undefined;
};

const nothing = (visit: OperatorVisit): PortalAnswer => {
  const { title, detail } = operatorFrameWords[visit.language].missing;
  const room = visit.session.rights === 'auditor' ? 'audit' : 'search';
  return answerOf(visit, room, { title, body: html`<p>${detail}</p>`, status: 404 });
};

const serveSignedIn = async (visit: OperatorVisit, request: PortalRequest) => {
  const { session } = visit;
  const found = match(request.method, request.path);
  if (!found || (session.rights === 'auditor' && !found.route.forAuditors)) return nothing(visit);
  const { route, params } = found;
  const signedIn = { ...visit, params };
  try {
    return answerOf(signedIn, route.room, await route.handle(signedIn));
  } catch (error) {
    if (error instanceof Missing) return nothing(signedIn);
    const refusal = refusalOf(error);
    if (!refusal) throw error;
    const { refused, rooms } = operatorFrameWords[visit.language];
    const body = html`${refusalNotice(refusal.message, visit.language)}<p><a href="${visit.at('')}">${rooms.overview}</a></p>`;
    const { title } = refused;
    return answerOf(signedIn, route.room, { title, body, status: refusal.status });
  }
};

type SignInRoute = {
  method: 'GET' | 'POST';
  path: string;
  handle(
    ports: OperatorSignInPorts,
    request: PortalRequest,
  ): PortalAnswer | Promise<PortalAnswer | undefined>;
};

const signInRoutes: readonly SignInRoute[] = [
  { method: 'GET', path: '/sign-in', handle: showOperatorSignIn },
  { method: 'POST', path: '/sign-in', handle: signInByLink },
  { method: 'GET', path: '/sign-in/provider', handle: beginProviderSignIn },
  { method: 'GET', path: '/sign-in/callback', handle: finishProviderSignIn },
];

const matchSignIn = createMatcher(signInRoutes);
const signOutPath = '/sign-out';

export const operatorPortal = (ports: Ports): Portal => {
  const prefix = pathPrefixOf(ports.baseUrl);
  const at = (path: string): string => `${prefix}${operatorPath}${path}`;
  const file = (path: string): string => `${prefix}${path}`;
  const { cookie, desk, sessions } = ports;
  const hasPage = (path: string): boolean => match('GET', path) !== undefined;
  const open: OperatorSignInPorts = { ...ports, at, file, hasPage };

  const signInAnswer = async (request: PortalRequest): Promise<PortalAnswer | undefined> => {
    try {
      return await matchSignIn(request.method, request.path)?.route.handle(open, request);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return providerRefusal(open, request, error);
    }
  };

  return {
    path: operatorPath,
    forms: [...formPathsOf(signInRoutes), signOutPath, ...formPathsOf(operatorRoutes)],

    // A session of an operator is no caller: no operation is called with rights of an account.
    sessionOf: async () => undefined,

    async serve(request) {
      const answered = await signInAnswer(request);
      if (answered) return answered;
      const session = await sessionIn(ports, request);
      const { method, path } = request;
      if (!session) {
        if (method === 'GET') return goTo(at(signInPathFor(request, '')));
        return path === signOutPath
          ? goTo(at('/sign-in'))
          : signedOutPage(languageFor(request), prefix, at('/sign-in'));
      }
      if (request.method === 'POST' && request.path === signOutPath) {
        await sessions.end(session.id);
        return goTo(at('/sign-in'), cookie ? { 'Set-Cookie': cookie.removed } : {});
      }
      if (request.path === '' && session.rights === 'auditor') return goTo(at('/audit'));
      const { query, form, address, call } = request;
      const language = languageFor({ headers: request.headers }, session.language);
      const visit = { session, language, desk, params: {}, query, form, address, at, file, call };
      return serveSignedIn(visit, request);
    },

    refuse(reason, sent) {
      const language = languageFor({ headers: sent });
      const { refused, crossSite } = operatorFrameWords[language];
      const { title } = refused;
      if (reason instanceof AppError) {
        const { status, headers } = reason;
        return pageAnswer(
          nothingPage(language, prefix, { title, detail: reasonOfError(reason, language) }),
          status,
          headers,
        );
      }
      return pageAnswer(nothingPage(language, prefix, { title, detail: crossSite }), 403);
    },
  };
};
