import { connect } from 'node:net';
import { AppError } from '../../contract/errors.ts';
import { type AnyOperation, type Caller, operation } from '../../contract/operation.ts';
import { EventTooLarge, StoreUnavailable, WrongExpectedVersion } from '../../events/event-store.ts';
import { Type } from '../../ground/type.ts';
import { buildHttpApp } from '../../http/kernel.ts';
import { type ListenOptions, listen } from '../../http/listen.ts';
import type { PaymentGateway } from '../../http/payment-gateway.ts';
import type { HttpOptions } from '../../http/rule.ts';
import { makeValidators } from '../../http/validator.ts';
import { defaultLimits, type Limits } from '../../limits/table.ts';

const line = (maxLength: number) => Type.String({ minLength: 1, maxLength, 'x-text': 'line' });
const country = Type.Unsafe<string>({ type: 'string', enum: ['US', 'FR', 'GB', 'CA', 'DE'] });
const letterParams = Type.Object({ letter_id: Type.String({ format: 'uuid' }) });
export const letterId = '6f1c2f6e-6d0c-4f3c-9d0f-0d1c2b3a4f5e';

const letter = Type.Object(
  { letter_id: Type.String(), status: Type.String() },
  { $id: 'Letter', description: 'A letter' },
);
const anything = Type.Object({});

const letterBody = Type.Object(
  {
    to_name: line(64),
    to_postal_code: Type.String({ maxLength: 12, pattern: '^[0-9A-Z -]+$' }),
    to_country: country,
    content: Type.Optional(Type.String({ maxLength: 1000, 'x-text': 'block' })),
    document_url: Type.Optional(Type.String({ format: 'uri' })),
    copies: Type.Optional(Type.Integer({ minimum: 1, maximum: 5 })),
    webhook_url: Type.Optional(
      Type.Union([Type.String({ maxLength: 30, format: 'uri' }), Type.Null()]),
    ),
    metadata: Type.Optional(Type.Record(Type.String(), Type.String(), { maxProperties: 3 })),
    nested: Type.Optional(Type.Unknown()),
  },
  {
    additionalProperties: false,
    oneOf: [{ required: ['content'] }, { required: ['document_url'] }],
  },
);

/** Controls for tests: handlers wait for `gate`, and throw `failure` if there is one. */
export const control = {
  failure: undefined as unknown,
  gate: Promise.resolve(),
  seen: undefined as unknown,
  /** Of handlers that wait for the gate, since the application was started. */
  calls: 0,
};

const responses = { 200: { description: 'Fine', schema: anything } };
const base = { tag: 'examples', summary: 'An example', errors: [] };
const echo = async (request: unknown) => {
  control.seen = request;
  control.calls += 1;
  await control.gate;
  if (control.failure !== undefined) throw control.failure;
  const { body, query, params } = request as Record<string, unknown>;
  return { body: { body, query, params } };
};

export const exampleOperations: AnyOperation[] = [
  operation({
    ...base,
    name: 'get_letter',
    method: 'GET',
    path: '/api/letters/{letter_id}',
    access: 'read',
    permit: { about: 'account' },
    input: { params: letterParams },
    responses: { 200: { description: 'The letter', schema: letter } },
    errors: ['letter_not_found', 'letter_deleted'],
    examples: [{ summary: 'A letter', response: { letter_id: letterId, status: 'queued' } }],
    handle: async (request) => {
      await echo(request);
      const { letter_id } = request.params;
      return { body: { letter_id, status: 'queued' }, version: 3n, position: 42n };
    },
  }),
  operation({
    ...base,
    name: 'search_letters',
    method: 'GET',
    path: '/api/letters/search',
    access: 'public',
    input: {
      query: Type.Object(
        {
          limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
          deleted: Type.Optional(Type.Boolean()),
          status: Type.Optional(Type.Array(Type.String({ maxLength: 10 }), { maxItems: 3 })),
        },
        {
          additionalProperties: false,
          patternProperties: {
            '^metadata\\[[a-z]{1,9}\\]$': { type: 'string', description: 'A pair.' },
          },
        },
      ),
    },
    responses,
    handle: echo,
  }),
  operation({
    ...base,
    name: 'send_letter',
    method: 'POST',
    path: '/api/send',
    access: 'send',
    permit: { about: 'account' },
    idempotent: true,
    payable: true,
    input: { body: letterBody },
    responses: { 201: { description: 'Queued', schema: anything } },
    errors: ['insufficient_funds', 'address_invalid'],
    handle: async (request) => ({ ...(await echo(request)), replayed: true }),
  }),
  operation({
    ...base,
    name: 'cancel_letter',
    method: 'POST',
    path: '/api/letters/{letter_id}/cancel',
    access: 'send',
    permit: { about: 'account' },
    conditional: true,
    input: {
      params: letterParams,
      body: Type.Object({ reason: Type.Optional(line(20)) }, { additionalProperties: false }),
    },
    responses,
    handle: echo,
  }),
  operation({
    ...base,
    name: 'get_proof',
    method: 'GET',
    path: '/api/proof',
    access: 'public',
    input: {},
    responses: {
      200: {
        description: 'Proof',
        schema: anything,
        produces: ['application/json', 'application/pdf'],
      },
    },
    handle: ({ accept }) =>
      accept === 'application/pdf' ? { body: Buffer.from('%PDF') } : { body: { proof: true } },
  }),
  operation({
    ...base,
    name: 'open',
    method: 'GET',
    path: '/open',
    access: 'public',
    input: {},
    responses,
    handle: echo,
  }),
  operation({
    ...base,
    name: 'write',
    method: 'POST',
    path: '/write',
    access: 'send',
    permit: { about: 'account' },
    input: { body: Type.Object({ position: Type.Integer() }) },
    responses,
    handle: ({ body }) => ({ body: {}, position: BigInt(body.position) }),
  }),
  operation({
    ...base,
    name: 'ask',
    method: 'POST',
    path: '/ask',
    access: 'public',
    readsOwnWrites: true,
    input: {},
    responses,
    handle: echo,
  }),
  operation({
    ...base,
    name: 'verify',
    method: 'POST',
    path: '/public',
    access: 'public',
    input: { body: Type.Object({ content: Type.String() }, { additionalProperties: false }) },
    responses,
    handle: echo,
  }),
  operation({
    ...base,
    name: 'rotate',
    method: 'POST',
    path: '/rotate',
    access: 'full',
    permit: { about: 'account' },
    input: {},
    responses,
    handle: echo,
  }),
  operation({
    ...base,
    name: 'who',
    method: 'GET',
    path: '/who',
    access: 'auth',
    permit: { about: 'account' },
    input: {},
    responses,
    handle: echo,
  }),
  operation({
    ...base,
    name: 'linked',
    method: 'GET',
    path: '/linked/{id}',
    access: 'public',
    linkIn: ({ params, query }) => (query.token === 'right' ? String(params.id) : undefined),
    input: {
      params: Type.Object({ id: Type.String() }),
      query: Type.Object({ token: Type.Optional(Type.String()) }),
    },
    responses,
    handle: echo,
  }),
  operation({
    ...base,
    name: 'one_click',
    method: 'POST',
    path: '/one-click',
    access: 'public',
    ignoresBody: true,
    ignoresQuery: true,
    input: {},
    responses,
    handle: echo,
  }),
  operation({
    ...base,
    name: 'page',
    method: 'GET',
    path: '/page',
    access: 'public',
    input: {},
    responses: { 200: { description: 'A page', schema: anything, produces: ['text/html'] } },
    handle: () => ({ body: Buffer.from('<p>A page</p>') }),
  }),
  operation({
    ...base,
    name: 'health',
    method: 'GET',
    path: '/health',
    access: 'public',
    rateLimited: false,
    input: {},
    responses,
    handle: echo,
  }),
];

const callerOf = (scope: Caller['scope']): Caller => ({
  accountId: 'acc_1',
  keyId: `key_${scope}`,
  scope,
  test: false,
});

/** Knows the keys `full`, `send` and `read` of one account, and `other` of another one. */
const authenticate = async (header: string): Promise<Caller> => {
  if (header === 'Bearer other') {
    return { ...callerOf('full'), accountId: 'acc_2', keyId: 'key_other' };
  }
  const key = /^Bearer (full|send|read)$/.exec(header)?.[1];
  if (key === undefined) {
    throw new AppError('invalid_api_key', 'The API key is not known; check it for typing errors.');
  }
  return callerOf(key as Caller['scope']);
};

/** Takes any `X-Payment` of one wallet, once `settled`. */
export const paymentsOnce = (settled: Promise<void> = Promise.resolve()): PaymentGateway => {
  const payer: Caller = { ...callerOf('send'), accountId: 'payer', keyId: 'x402', wallet: true };
  return {
    readPriceMicro: 1n,
    signedIn: async () => undefined,
    signInFor: () => ({}),
    assertPermits: () => {},
    presented: (headers) => headers['x-payment'],
    amountOf: () => 1n,
    idOf: String,
    isRecorded: async () => false,
    priceHoldsMs: 1,
    required: () => new AppError('payment_required', 'Pay for the request.'),
    payerOf: async () => payer,
    async take() {
      await settled;
      const payment = { paymentId: 'p', receiptId: 'r', amountMicro: 1n };
      return { caller: payer, payment, position: 1n, headers: { 'PAYMENT-RESPONSE': 'e30=' } };
    },
  };
};

const validators = makeValidators();

/** Serves the example operations on a free port; rate limits are off unless given. */
export const startExample = async (
  options: Partial<Omit<HttpOptions, 'limits'>> & { limits?: Partial<Limits> } = {},
  listenOptions: ListenOptions = {},
) => {
  Object.assign(control, {
    failure: undefined,
    gate: Promise.resolve(),
    seen: undefined,
    calls: 0,
  });
  const logged: { level: string; fields: Record<string, unknown>; message: string }[] = [];
  const logAt = (level: string) => (fields: object, message: string) => {
    logged.push({ level, fields: { ...fields }, message });
  };
  const observed: { operation: string; status: number }[] = [];
  const app = buildHttpApp({
    operations: exampleOperations,
    authenticate,
    clock: Date.now,
    digest: (text) => text,
    log: { info: logAt('info'), warn: logAt('warn'), error: logAt('error') },
    metrics: { observe: (name, status) => observed.push({ operation: name, status }) },
    baseUrl: 'http://letters.example',
    onResponse: (of, status, body) => {
      const schema = of.responses[status]?.schema;
      if (schema === undefined || Buffer.isBuffer(body)) return;
      if (!validators.exact(schema)(body)) throw new Error(`${of.name} answers out of schema`);
    },
    ...options,
    limits: { ...defaultLimits, ratePerCredential: 0, ratePerAddress: 0, ...options.limits },
  });
  const server = await listen(app, 0, {
    host: '127.0.0.1',
    baseUrl: 'http://letters.example',
    ...listenOptions,
  });
  return { ...server, logged, observed };
};

export type Example = Awaited<ReturnType<typeof startExample>>;

type Answer = { status: number; headers: Headers; body: Record<string, unknown> };

/** One request; `json` becomes the body. The answer's body is parsed when it is JSON. */
export const request = async (
  { url }: Example,
  target: string,
  init: RequestInit & { json?: unknown; key?: string } = {},
): Promise<Answer> => {
  const [method = 'GET', path = target] = target.includes(' ')
    ? target.split(' ')
    : ['GET', target];
  const headers = new Headers(init.headers);
  if (init.key !== undefined) headers.set('Authorization', `Bearer ${init.key}`);
  if (init.json !== undefined) headers.set('Content-Type', 'application/json');
  const body = init.json === undefined ? init.body : JSON.stringify(init.json);
  const response = await fetch(url + path, { ...init, method, headers, body });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') && text !== '';
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? JSON.parse(text) : { text },
  };
};

/** Sends bytes over a bare socket; resolves with all that came back once the server closed. */
export const rawExchange = (
  { port }: Example,
  parts: readonly (string | Buffer)[],
  options: { end?: boolean } = {},
): Promise<string> =>
  new Promise((resolve) => {
    let received = '';
    const socket = connect(port, '127.0.0.1', () => {
      for (const part of parts) socket.write(part);
      if (options.end) socket.end();
    });
    socket.setEncoding('utf8');
    socket.on('data', (text) => {
      received += text;
    });
    socket.on('error', () => {}); // a reset ends the exchange like a close does
    socket.on('close', () => resolve(received));
  });

export const validLetter = {
  to_name: 'Anna Example',
  to_postal_code: '62701',
  to_country: 'US',
  content: 'Dear Anna,\n\nhello.',
};

export const storeErrors = {
  conflict: new WrongExpectedVersion('letter-1', 1n, 2n),
  tooLarge: new EventTooLarge('LetterQueued', 300_000, 262_144),
  unavailable: new StoreUnavailable('no connection'),
};

/** Waits for a condition that other parts of this process will make true, at most 3 s. */
export const until = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
  const deadlineMs = performance.now() + 3_000;
  while (!(await condition())) {
    if (performance.now() > deadlineMs) throw new Error('the condition did not come true');
    await new Promise((resolve) => setImmediate(resolve));
  }
};
