/** A request to a page of the console: who asks, and how the page calls operations for them. */
import type { Called, CallInput } from '../../contract/call.ts';
import type { FieldError, facts } from '../../contract/errors.ts';
import type { PortalRequest, Session } from '../../contract/portal.ts';
import type { Offered } from '../../postal/services.ts';
import type { Language } from '../../postal/stationery.ts';
import type { Html } from '../html.ts';
import type { Room } from './frame-words.ts';
import type { Passkeys } from './passkeys/passkey-ports.ts';

export type Visit = {
  session: Session;
  language: Language;
  /** The path of the request, below `/console`. */
  path: string;
  /** Values of the `{braces}` in the route's path. */
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  form: URLSearchParams;
  file: PortalRequest['file'];
  /** The problem that the form led to. */
  problem?: Problem | undefined;
  /** The address of a page: `/letters` → `/console/letters`, below the public address. */
  at(path: string): string;
  stylesheet: string;
  /** The services that letters go by. */
  offered: Offered;
  call: PortalRequest['call'];
  /** Absent where browsers take no passkeys. */
  passkeys?: Passkeys | undefined;
  /** The address of the script of the console. */
  script: string;
};

/** The answer of a route. */
export type View =
  /** A page without a title bears the name of its room. */
  | { title?: string; body: Html; status?: number }
  /** The next page of the console, after the action is done. */
  | { goTo: string }
  | { file: Buffer; type: string; name?: string };

export type Route = {
  method: 'GET' | 'POST';
  /** Below `/console`, with `{braces}` for parameters. */
  path: string;
  /** The entry of the navigation to which its pages belong. */
  room: Room;
  handle(visit: Visit): Promise<View>;
};

const routeOf =
  (method: Route['method']) =>
  (path: string, room: Room, handle: Route['handle']): Route => ({ method, path, room, handle });

export const pageAt = routeOf('GET');
export const formAt = routeOf('POST');

/** A finding of a refusal, as far as pages show it. */
export type ShownFinding = Pick<FieldError, 'pointer' | 'code' | 'detail' | typeof facts>;

/** A refusal as operations answer it (RFC 9457), as far as pages show it. */
export type Problem = {
  status: number;
  code: string;
  title: string;
  detail: string;
  errors?: readonly ShownFinding[];
  /** Amounts, times and names of the refusal. */
  [more: string]: unknown;
};

/** An operation refused what a page needed. */
export class Refused extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.code);
    this.problem = problem;
  }
}

const jsonOf = <T>({ body }: Called): T => JSON.parse(body === '' ? 'null' : body) as T;

const problemOf = (called: Called): Problem => {
  const { headers, findings } = called;
  const wait = Number(headers['retry-after']);
  return {
    ...jsonOf<Problem>(called),
    ...(findings && { errors: findings }),
    ...(wait > 0 && { retry_after: wait }),
  };
};

export type Outcome<T> = { done: T; version: string | undefined } | { problem: Problem };

/** Calls an operation whose refusal the page shows with its form. */
export const attempt = async <T>(
  { call }: Pick<Visit, 'call'>,
  name: string,
  input: Partial<CallInput> = {},
): Promise<Outcome<T>> => {
  const called = await call(name, input);
  if (called.status >= 300) return { problem: problemOf(called) };
  const { etag } = called.headers;
  return { done: jsonOf<T>(called), version: typeof etag === 'string' ? etag : undefined };
};

/** Calls an operation that the page cannot do without. @throws Refused */
export const ask = async <T>(
  visit: Pick<Visit, 'call'>,
  name: string,
  input?: Partial<CallInput>,
): Promise<T> => {
  const outcome = await attempt<T>(visit, name, input);
  if ('problem' in outcome) throw new Refused(outcome.problem);
  return outcome.done;
};

/** A file that an operation answers with. @throws Refused */
export const askFile = async (
  { call }: Pick<Visit, 'call'>,
  name: string,
  input: Partial<CallInput>,
): Promise<Buffer> => {
  const called = await call(name, input);
  if (called.status >= 300 || !called.file) throw new Refused(problemOf(called));
  return called.file;
};
