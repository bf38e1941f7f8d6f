/** Pages for people below one path, which call operations for the person who is signed in. */
import type { Called, CallInput } from './call.ts';
import type { AppError } from './errors.ts';
import type { Caller } from './operation.ts';

/** A person who is signed in. */
export type Session = {
  /** SHA-256 of the token in the cookie, base64url. */
  id: string;
  /** The current rights of the credential with which the person signed in. */
  caller: Caller;
  /** The key of the passkey that confirmed the person in the last minutes. */
  confirmedBy?: string | undefined;
  /** The language that was chosen at sign-in. */
  language: string | undefined;
};

type HeadersIn = Readonly<Record<string, string | string[] | undefined>>;

export type PortalRequest = {
  method: 'GET' | 'POST';
  /** The path below the portal's own, percent-encoded as it was sent: `/letters`; empty at its root. */
  path: string;
  query: URLSearchParams;
  /** The fields of a form; empty without one. */
  form: URLSearchParams;
  /** The file of a form, the field `file`; undefined where none was chosen. */
  file: Uint8Array | undefined;
  headers: HeadersIn;
  /** The client’s address, by which sign-in is limited. */
  address: string;
  session: Session | undefined;
  /**
   * Calls an operation by its name for the person who is signed in. Every rule of the operation applies as over
   * REST. Refusals are answered, not thrown. @throws AppError not_found where this process has no such operation
   */
  call(name: string, input: Partial<CallInput>): Promise<Called>;
};

export type PortalAnswer = {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer;
};

export type Portal = {
  /** Without a slash at its end. */
  path: string;
  /** Where it takes forms: paths below its own, `{name}` for what varies. */
  forms: readonly string[];
  /** The session that a `Cookie` header opens; undefined for every reason why it opens none. */
  sessionOf(cookies: string, address: string): Promise<Session | undefined>;
  serve(request: PortalRequest): Promise<PortalAnswer>;
  /** The page for what was refused before: a rate limit, an unreadable form, a form of another site. */
  refuse(reason: AppError | 'cross_site', headers: HeadersIn): PortalAnswer;
};
