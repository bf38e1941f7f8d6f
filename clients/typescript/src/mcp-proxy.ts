/**
 * MCP messages from a line to the service and back. The tools are those of the service; what it takes to reach
 * it, and what to say when it cannot be reached, is here. Both eras of the protocol pass as they are.
 */
import { uuid } from './encoding.ts';
import { clientError, type ErrorData, problemError, ServiceError } from './errors.ts';
import { tools } from './execute.ts';
import { forgetLogPosition, minLogPosition, noteLogPosition } from './log-positions.ts';
import {
  failedCall,
  failure,
  type Id,
  type Message,
  type Params,
  versionKey,
  withoutService,
} from './mcp-offline.ts';
import type { Settings } from './options.ts';
import { withData, withKeyHint } from './send.ts';

const isMessage = (value: unknown): value is Message =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && 'jsonrpc' in value;

/** The messages in an answer, which is JSON or a stream of events. */
const messagesIn = (type: string, text: string): unknown[] => {
  if (text.trim() === '') return [];
  if (!type.startsWith('text/event-stream')) return [JSON.parse(text)];
  return text
    .split(/\r?\n\r?\n/)
    .map((event) =>
      event
        .split(/\r?\n/)
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).trimStart())
        .join('\n'),
    )
    .filter((data) => data !== '')
    .map((data) => JSON.parse(data));
};

/** @throws ServiceError if it is the refusal of a service that serves nothing yet: a problem document */
const assertServed = ({ status, headers }: Response, [answer]: unknown[]): void => {
  const { code } = (answer ?? {}) as { code?: unknown };
  if (typeof code === 'string') throw problemError(status, headers, answer);
};

/** Answers of the service are passed on unchanged; all other text is not an answer. */
const unreachable = (baseUrl: string, why: string): ServiceError =>
  clientError(
    'server_unreachable',
    `The letters service at ${baseUrl} cannot be reached (${why}).`,
    'Check that it runs and that SERVICE_URL is its address.',
    { retryable: true },
  );

type Request = Message & { id: Id; method: string };

/** The problem document of a refused tool call: the JSON in its text. */
const problemIn = ({ result }: Message): { code?: unknown; status?: unknown } => {
  const [first] = Array.isArray(result?.content) ? result.content : [];
  if (result?.isError !== true || typeof first?.text !== 'string') return {};
  try {
    return JSON.parse(first.text) ?? {};
  } catch {
    return {};
  }
};

/** The params of a message. Any program can send lines, so they may be missing or malformed. */
const paramsOf = ({ params }: Message): Params =>
  typeof params === 'object' && params !== null ? params : {};

/**
 * Messages that an assistant sends before anybody uses a tool. It needs an answer even if the service is
 * away.
 */
const opening = ['initialize', 'server/discover', 'tools/list'];

/** An idempotency key. */
type Key = string | undefined;

const keyHeader = (key: Key): Record<string, string> =>
  key === undefined ? {} : { 'idempotency-key': key };

/** A call that x402 pays for needs no key, because the same payment is the same call. */
const isPaid = (message: Message): boolean => paramsOf(message)._meta?.['x402/payment'] != null;

/**
 * The idempotency key for repeating a call: the one in its arguments, otherwise `own`. Undefined if a repetition needs
 * none. Tools that this version does not know are assumed to need one.
 */
const repetitionKey = (message: Message, own: Key): Key => {
  const { name, arguments: args } = paramsOf(message);
  const isSafe = tools.find((one) => one.name === name)?.idempotent === false;
  if (message.method !== 'tools/call' || isSafe) return undefined;
  const given = (args as { idempotency_key?: unknown } | null | undefined)?.idempotency_key;
  return given == null ? own : String(given);
};

/** Adds the key to a failed answer: the call may have been done, and the key makes a repetition safe. */
const withKey = (answer: Message, key: Key): Message => {
  const { status } = problemIn(answer);
  if (key === undefined || typeof status !== 'number' || status < 500) return answer;
  const text = `It may have been done: repeat it only with the same idempotency_key, ${key}.`;
  const content = [...(answer.result?.content as object[]), { type: 'text', text }];
  return { ...answer, result: { ...answer.result, content } };
};

type ProxyOptions = { core: boolean; log: (text: string) => void };

/** From one line to the messages that answer it; never rejects. */
export const createProxy = (settings: Settings, { core, log }: ProxyOptions) => {
  const address = `${settings.baseUrl}/mcp${core ? '?tools=core' : ''}`;
  const underWay = new Map<Id, AbortController>();
  /** Agreed on by `initialize`; messages of the later era say it themselves. */
  let agreed: string | undefined;

  /** `key`: the idempotency key, unless the arguments contain one. */
  const headersOf = (message: Message, key: Key): Record<string, string> => {
    const { method = '' } = message;
    const params = paramsOf(message);
    const version = params._meta?.[versionKey];
    const target = params.name ?? params.uri;
    const modern = typeof version === 'string';
    return {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(settings.authorization === undefined ? {} : { authorization: settings.authorization }),
      ...(modern ? { 'mcp-protocol-version': version, 'mcp-method': method } : {}),
      ...(modern && typeof target === 'string' && /^[\x20-\x7e]+$/.test(target)
        ? { 'mcp-name': target }
        : {}),
      ...(!modern && agreed !== undefined ? { 'mcp-protocol-version': agreed } : {}),
      ...(method === 'tools/call' ? { ...keyHeader(key), ...minLogPosition(settings) } : {}),
    };
  };

  /** @throws ServiceError server_unreachable, redirect_refused, or what the service refused */
  const post = async (message: Message, key: Key, signal: AbortSignal): Promise<Message[]> => {
    const response = await settings.fetch(address, {
      method: 'POST',
      headers: headersOf(message, key),
      body: JSON.stringify(message),
      redirect: 'manual',
      credentials: 'omit',
      signal,
    });
    if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
      throw clientError(
        'redirect_refused',
        `The service at ${settings.baseUrl} answers with a redirect, which is not followed.`,
        'Set SERVICE_URL to the final address.',
      );
    }
    noteLogPosition(settings, response.headers);
    const text = await response.text();
    let answers: unknown[];
    try {
      answers = messagesIn(response.headers.get('content-type') ?? '', text);
    } catch {
      throw unreachable(settings.baseUrl, `the answer, ${response.status}, is not MCP`);
    }
    assertServed(response, answers);
    return answers.filter(isMessage);
  };

  /** @throws ServiceError server_unreachable, redirect_refused, or what the service refused */
  const received = async (message: Message, key: Key, signal: AbortSignal): Promise<Message[]> => {
    const messages = await post(message, key, signal);
    const isBeyondLog = messages.some((one) => problemIn(one).code === 'position_beyond_log');
    if (!isBeyondLog || !('x-min-log-position' in minLogPosition(settings))) return messages;
    // The log was restored from a backup. A refused call did nothing, so it is sent once more, without the position.
    forgetLogPosition(settings);
    return post(message, key, signal);
  };

  /** Refusals of a whole message name no request: they are given the id of theirs. */
  const answerOf = (message: Request, messages: Message[]): Message => {
    const { id, method } = message;
    const answer = messages.find((one) => one.id === id || one.id == null);
    if (answer === undefined) throw unreachable(settings.baseUrl, 'the answer has no message');
    const { error } = answer;
    if (answer.id != null || !error) return { ...answer, id };
    if (method === 'tools/call') {
      return failedCall(id, paramsOf(message), error.data ?? error);
    }
    if (!opening.includes(method)) return { ...answer, id };
    log(error.message);
    return withoutService(id, method, paramsOf(message), refusal(error.message));
  };

  const request = async (message: Request): Promise<Message[]> => {
    const { id, method } = message;
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort('timed out'), settings.timeoutMs);
    underWay.set(id, controller);
    const key = isPaid(message) ? undefined : uuid();
    const again = repetitionKey(message, key);
    try {
      const messages = await received(message, key, controller.signal);
      const others = messages.filter((one) => one.method !== undefined);
      const answer = answerOf(
        message,
        messages.filter((one) => one.method === undefined),
      );
      const version = method === 'initialize' && answer.result?.protocolVersion;
      if (typeof version === 'string') agreed = version;
      return [...others, withKey(answer, again)];
    } catch (error) {
      if (controller.signal.reason === 'cancelled') return [];
      const why = controller.signal.aborted ? 'no answer in time' : causeOf(error);
      const failure = error instanceof ServiceError ? error : unreachable(settings.baseUrl, why);
      const told = withKeyHint(
        withData(failure, again === undefined ? {} : { idempotency_key: again }),
      );
      log(told.data.detail);
      return [withoutService(id, method, paramsOf(message), told.data)];
    } finally {
      clearTimeout(timer);
      underWay.delete(id);
    }
  };

  /** The service keeps no state for which it would need the others. */
  const notify = (message: Message): void => {
    if (message.method !== 'notifications/cancelled') return;
    underWay.get(paramsOf(message).requestId as Id)?.abort('cancelled');
  };

  return async (line: string): Promise<Message[]> => {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      return [failure(null, -32700, 'The line is not JSON.')];
    }
    if (
      !isMessage(message) ||
      (message.method !== undefined && typeof message.method !== 'string')
    ) {
      return [failure(null, -32600, 'The line is not one message of JSON-RPC 2.0.')];
    }
    const { id, method } = message;
    // An answer to nothing: the service asks nothing.
    if (method === undefined) return [];
    if (id === undefined || id === null) {
      notify(message);
      return [];
    }
    return request({ ...message, id, method });
  };
};

const causeOf = (error: unknown): string => {
  const { cause, message } = error as { cause?: { code?: unknown }; message?: unknown };
  return String(cause?.code ?? message ?? error);
};

const refusal = (detail: string): ErrorData => ({
  code: 'refused',
  status: null,
  detail,
  hint: '',
  retryable: false,
});
