/** Sign-in and sign-out: the only pages of the console that need no session. */
import { isAppError } from '../../../contract/errors.ts';
import type { PortalAnswer, PortalRequest, Session } from '../../../contract/portal.ts';
import { type Language, languages } from '../../../postal/stationery.ts';
import { preferredLanguage } from '../../../presenters/preferred-language.ts';
import { fieldOf } from '../form.ts';
import { goTo, pageAnswer } from '../page-answer.ts';
import { insecurePage, signInPage } from './sign-in-page.ts';

export type SignInPorts = {
  service: { name: string; contact: string | undefined };
  at(path: string): string;
  stylesheet: string;
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
    begin(
      apiKey: string,
      about: { address: string; language: string | undefined },
    ): Promise<string>;
    end(id: string): Promise<void>;
  };
};

export const languageFor = (
  request: Pick<PortalRequest, 'headers'> & { session?: Session | undefined },
  chosen?: string | null,
): Language =>
  languages.find((one) => one === (chosen ?? request.session?.language)) ??
  preferredLanguage(String(request.headers['accept-language'] ?? ''));

const pageOf = (ports: SignInPorts, request: PortalRequest, chosen: string | null) => ({
  language: languageFor(request, chosen),
  service: ports.service,
  action: ports.at('/sign-in'),
  stylesheet: ports.stylesheet,
});

/** The cookie for the browser; undefined where its key would travel in clear text. */
const cookieFor = ({ cookie }: SignInPorts, { headers }: PortalRequest) =>
  cookie?.isSafeAt(String(headers.host)) ? cookie : undefined;

export const showSignIn = (ports: SignInPorts, request: PortalRequest): PortalAnswer => {
  if (request.session) return goTo(ports.at('/letters'));
  const page = pageOf(ports, request, request.query.get('language'));
  if (!cookieFor(ports, request)) return pageAnswer(insecurePage(page), 403);
  return pageAnswer(signInPage(page));
};

/** Begins a session under a new token, and ends the one that the browser had. */
export const signIn = async (ports: SignInPorts, request: PortalRequest): Promise<PortalAnswer> => {
  const { form, address, session } = request;
  const page = pageOf(ports, request, form.get('language'));
  const cookie = cookieFor(ports, request);
  if (!cookie) return pageAnswer(insecurePage(page), 403);
  const language = languages.find((one) => one === form.get('language'));
  try {
    const apiKey = fieldOf(form, 'api_key')?.trim() ?? '';
    const token = await ports.sessions.begin(apiKey, { address, language });
    if (session) await ports.sessions.end(session.id);
    return goTo(ports.at('/letters'), { 'Set-Cookie': cookie.holding(token) });
  } catch (error) {
    if (!isAppError(error) || error.status !== 401) throw error;
    return pageAnswer(signInPage({ ...page, wrongKey: true }), 403);
  }
};

export const signOut = async (
  ports: SignInPorts,
  { session }: PortalRequest,
): Promise<PortalAnswer> => {
  if (session) await ports.sessions.end(session.id);
  const signInAddress = ports.at('/sign-in');
  return ports.cookie
    ? goTo(signInAddress, { 'Set-Cookie': ports.cookie.removed })
    : goTo(signInAddress);
};
