import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Static } from 'typebox';
import { type ErrorCode, errorCodes, type FieldError } from '../../contract/errors.ts';
import type { AnyOperation } from '../../contract/operation.ts';
import type {
  Balance,
  Key,
  NewKey,
  Notification,
  RegisteredAccount,
  RotatedKey,
  Settings,
} from '../../presenters/account.ts';
import type { LetterDetail, SentLetter, TrackedLetter } from '../../presenters/letter-schemas.ts';
import type { Proof } from '../../presenters/proof.ts';
import { restAfterCheck } from './rest-after-check.ts';
import { startTestService, type TestService, undocumented } from './service.ts';

/** An error answer (RFC 9457). `extra` members are read by name. */
export type ProblemJson = {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
  code: ErrorCode;
  request_id: string;
  errors?: FieldError[];
};
export type Sent = Static<typeof SentLetter>;
type AddressField = 'name' | 'company' | 'line1' | 'line2' | 'city' | 'state' | 'postal_code';
export type Letter = Static<typeof LetterDetail> &
  Record<`${'to' | 'from'}_${AddressField | 'country'}`, string | null>;
export type Tracked = Static<typeof TrackedLetter>;
export type ProofJson = Static<typeof Proof>;
export type BalanceJson = Static<typeof Balance>;
export type Account = Static<typeof RegisteredAccount>;
export type NewKeyJson = Static<typeof NewKey>;
export type RotatedKeyJson = Static<typeof RotatedKey>;
export type KeyJson = Static<typeof Key>;
export type SettingsJson = Static<typeof Settings>;
export type NotificationJson = Static<typeof Notification>;
export type PageOf<T> = { data: T[]; has_more: boolean; next_cursor: string | null };

export type Answer<T> = { status: number; headers: Headers; text: string; body: T };

/** Error codes that tests saw, by operation. */
const seenErrors = new Map<string, Set<string>>();

type OpenApi = {
  paths: Record<string, Record<string, { responses: Record<string, ResponseObject> }>>;
  components: { responses: Record<string, ResponseObject> };
};
type ResponseObject = {
  $ref?: string;
  content?: Record<string, { examples?: Record<string, unknown> }>;
};

const contentOf = (document: OpenApi, operation: AnyOperation, status: number) => {
  const method = operation.method.toLowerCase();
  const stated = document.paths[operation.path]?.[method]?.responses[String(status)];
  const name = stated?.$ref?.split('/').at(-1);
  const response = name === undefined ? stated : document.components.responses[name];
  return response?.content ?? {};
};

const codesOf = (document: OpenApi, operation: AnyOperation, status: number): string[] =>
  Object.keys(contentOf(document, operation, status)['application/problem+json']?.examples ?? {});

const declaresPage = ({ service }: TestService, operation: AnyOperation, status: number): boolean =>
  'text/html' in contentOf(service.openApi as OpenApi, operation, status);

const matches = (template: string, actual: readonly string[]): boolean => {
  const expected = template.split('/');
  return (
    expected.length === actual.length &&
    expected.every((part, index) => part.startsWith('{') || part === actual[index])
  );
};

const fixedFirst = (a: AnyOperation, b: AnyOperation): number =>
  a.path.split('{').length - b.path.split('{').length;

/** A fixed path is not that of a parameter, whatever its methods are. */
export const operationAt = (service: TestService, method: string, path: string) => {
  const parts = path.split('/');
  const matching = service.service.operations.filter((one) => matches(one.path, parts));
  const fixed = matching.filter((one) => one.path === path);
  return (fixed.length > 0 ? fixed : matching)
    .filter((one) => one.method === method)
    .sort(fixedFirst)[0];
};

/** Remembers an error answer that has not the promised form, or a code that its operation hides. */
const checkError = async (
  service: TestService,
  method: string,
  path: string,
  answer: Answer<ProblemJson>,
): Promise<void> => {
  const { status, body } = answer;
  const place = `${method} ${path} ${status}`;
  const operation = operationAt(service, method, path);
  const type = answer.headers.get('content-type');
  // A browser that opens a path of no operation gets a page, and links that open nothing lead to one.
  const page = type === 'text/html; charset=utf-8';
  if (page && (operation ? declaresPage(service, operation, status) : status === 404)) return;
  if (type !== 'application/problem+json') {
    undocumented.push(`${place} has the media type ${type}`);
    return;
  }
  const { code, detail, title, instance, request_id: requestId } = body;
  const wellFormed =
    body.status === status &&
    errorCodes[code]?.status === status &&
    title === errorCodes[code].title &&
    body.type.endsWith(`/errors/${code}`) &&
    instance === path &&
    requestId === answer.headers.get('x-request-id') &&
    detail.length > 0;
  if (!wellFormed) undocumented.push(`${place} is no problem document: ${answer.text}`);
  if (code === 'internal_error') undocumented.push(`${place} answered internal_error`);
  if (!operation) return;
  const seen = seenErrors.get(operation.name) ?? new Set();
  seenErrors.set(operation.name, seen);
  if (seen.has(code)) return;
  seen.add(code);
  const document = service.service.openApi as OpenApi;
  if (codesOf(document, operation, status).includes(code)) return;
  undocumented.push(`${operation.name} answered ${code}, which it does not declare`);
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

type CallOptions = {
  key?: string;
  headers?: Record<string, string>;
  /** Sent as it is, instead of JSON. */
  raw?: string | Uint8Array<ArrayBuffer>;
};

/** A read that is behind has waited for the read models before it says so. */
const mostBehindMs = 60_000;

/** Calls the running service over the network; every error answer is checked on the way. */
export const clientOf = (service: () => TestService) => {
  /** The last position that a write answered with: reads wait for it, as callers should. */
  let written = 0n;
  const freshness = (method: string, key: string | undefined): Record<string, string> =>
    method === 'GET' && key !== undefined && written > 0n
      ? { 'X-Min-Log-Position': String(written) }
      : {};

  const callOnce = async <T>(
    method: string,
    path: string,
    body: unknown,
    options: CallOptions,
  ): Promise<Answer<T>> => {
    const payload = options.raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(service().url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(payload === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(options.key === undefined ? {} : { Authorization: `Bearer ${options.key}` }),
        ...freshness(method, options.key),
        ...options.headers,
      },
      ...(payload === undefined ? {} : { body: payload }),
    });
    const text = await response.text();
    const { status, headers } = response;
    const position = BigInt(headers.get('x-log-position') ?? 0);
    if (position > written) written = position;
    const answer = { status, headers, text, body: parse(text) as T };
    if (status >= 400 && method !== 'HEAD') {
      const { pathname } = new URL(service().url + path);
      await checkError(service(), method, pathname, answer as unknown as Answer<ProblemJson>);
    }
    return answer;
  };

  /**
   * Repeats requests that are refused while the read models are behind, as the answer asks: on a busy machine
   * that takes seconds.
   */
  const call = async <T = ProblemJson>(
    method: string,
    path: string,
    body?: unknown,
    options: CallOptions = {},
  ): Promise<Answer<T>> => {
    const end = Date.now() + mostBehindMs;
    for (;;) {
      const answer = await callOnce<T>(method, path, body, options);
      const { code } = (answer.body ?? {}) as Partial<ProblemJson>;
      const isBehind = options.key !== undefined && code === 'read_model_behind';
      if (!isBehind || Date.now() > end) return answer;
    }
  };

  /** A client with a key. */
  const as = (key: string) => ({
    key,
    get: <T = ProblemJson>(path: string, headers?: Record<string, string>) =>
      call<T>('GET', path, undefined, { key, headers }),
    post: <T = ProblemJson>(path: string, body?: unknown, headers?: Record<string, string>) =>
      call<T>('POST', path, body, { key, headers }),
    put: <T = ProblemJson>(path: string, body?: unknown) => call<T>('PUT', path, body, { key }),
    patch: <T = ProblemJson>(path: string, body?: unknown, headers?: Record<string, string>) =>
      call<T>('PATCH', path, body, { key, headers }),
    delete: <T = ProblemJson>(path: string, headers?: Record<string, string>) =>
      call<T>('DELETE', path, undefined, { key, headers }),
    balance: async () => (await call<BalanceJson>('GET', '/api/balance', undefined, { key })).body,
    /** Sends a letter that must be accepted. */
    async send(body: object = {}): Promise<Sent> {
      const sent = await call<Sent>('POST', '/api/send', letterTo('DE', body), { key });
      expect(sent.status, sent.text).to.equal(201);
      return sent.body;
    },
    async letter(letterId: string): Promise<Letter> {
      const found = await call<Letter>('GET', `/api/letters/${letterId}`, undefined, { key });
      expect(found.status, found.text).to.equal(200);
      return found.body;
    },
    async advance(letterId: string, body?: object): Promise<Letter> {
      const path = `/api/test/letters/${letterId}/advance`;
      const moved = await call<Letter>('POST', path, body, { key });
      expect(moved.status, moved.text).to.equal(200);
      return moved.body;
    },
  });

  /** Makes another key of the caller's account. */
  const newKey = async (owner: ReturnType<typeof as>, scope = 'full') => {
    const made = await owner.post<NewKeyJson>('/auth/keys', { label: scope, scope });
    expect(made.status, made.text).to.equal(201);
    return { ...as(made.body.api_key), id: made.body.id };
  };

  /** A new account with a full key. */
  const register = async (mode: 'live' | 'test' = 'test') => {
    const email = `${randomUUID()}@example.com`;
    const answer = await call<Account>('POST', '/auth/register', { email, mode });
    expect(answer.status, answer.text).to.equal(201);
    return { ...as(answer.body.api_key), account: answer.body, email };
  };

  return { call, as, register, newKey };
};

/** Starts the service before the tests of a file and stops it after them. */
export const useService = (
  env: Record<string, string> = {},
  hooks: Parameters<typeof startTestService>[1] = {},
) => {
  let started: TestService | undefined;
  before(async () => {
    started = await startTestService(env, hooks);
  });
  after(async () => {
    await started?.stop();
  });
  const service = (): TestService => {
    if (!started) throw new Error('the service runs while tests run');
    return started;
  };
  return { service, ...clientOf(service) };
};

const recipients = {
  US: ['Ann Lee', '1600 Pennsylvania Ave NW', 'Washington', '20500'],
  FR: ['Anne Martin', '12 rue de la Paix', 'Paris', '75002'],
  GB: ['Ann Smith', '10 Downing Street', 'London', 'SW1A 2AA'],
  CA: ['Anne Roy', '111 Wellington St', 'Ottawa', 'K1A 0A9'],
  DE: ['Anna Müller', 'Lindenstraße 5', 'Berlin', '10969'],
} as const;

const choosesService = (changes: object): boolean =>
  ['service', 'intent', 'quote_id', 'commitment_id'].some((name) => name in changes);

/** The body of a valid send, with `changes`; with tracking where they choose no service. */
export const letterTo = (country: keyof typeof recipients, changes: object = {}) => {
  const [name, line1, city, postalCode] = recipients[country];
  return {
    to_name: name,
    to_line1: line1,
    to_city: city,
    to_postal_code: postalCode,
    to_country: country,
    from_name: 'Bob Sender',
    from_line1: '350 5th Ave',
    from_city: 'New York',
    from_postal_code: '10118',
    from_country: 'US',
    content: 'Hello.\n\nThis is a letter.',
    ...(choosesService(changes) ? {} : { intent: 'transactional' }),
    ...changes,
  };
};

/** The recipient of a valid send. */
export const recipientIn = (country: keyof typeof recipients): object =>
  Object.fromEntries(Object.entries(letterTo(country)).filter(([name]) => name.startsWith('to_')));

/** Asserts that a value has exactly the members of a schema's object, so that none is promised in vain. */
export const expectMembers = (value: object, names: readonly string[]): void => {
  expect(Object.keys(value).sort()).to.deep.equal([...names].sort());
};

/** Asserts an error answer and returns its first finding. */
export const expectProblem = (
  answer: { status: number; text: string; body: unknown },
  status: number,
  code: ErrorCode,
  pointer?: string,
): ProblemJson => {
  const problem = answer.body as ProblemJson;
  expect([answer.status, problem?.code], answer.text).to.deep.equal([status, code]);
  if (pointer !== undefined) {
    expect(
      problem.errors?.map((error) => error.pointer),
      answer.text,
    ).to.include(pointer);
  }
  return problem;
};

/** Waits until `check` is true; the limit is far above what it takes. */
export const until = async (check: () => Promise<boolean>, timeoutMs = 90_000): Promise<void> => {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const beganMs = performance.now();
    if (await check()) return;
    if (Date.now() > end) throw new Error('it did not become true in time');
    await restAfterCheck(beganMs);
  }
};
