/** A typed client of the whole REST API: one method for each operation, by its name. */
import { uuid } from './encoding.ts';
import { clientError } from './errors.ts';
import { routes } from './generated/routes.ts';
import type {
  AnswerOf,
  Arguments,
  CallExtras,
  DryRunName,
  DryRunOf,
  InputOf,
  ListName,
  OperationName,
  RowOf,
} from './operation-types.ts';
import { type ClientOptions, settingsOf } from './options.ts';
import { jsonOf, pathWith, type Values } from './path.ts';
import { createSender } from './send.ts';
import { createWaiter, type WaitFor } from './wait-for.ts';

export type Operations = {
  [Name in OperationName]: (...input: Arguments<Name>) => Promise<AnswerOf<Name>>;
};

/** The answer with its status and headers: `ETag`, `X-Log-Position`, `Idempotent-Replayed`. */
export type FullAnswer<T> = { status: number; headers: Headers; data: T };

export type Client = Operations & {
  /** As the method of that name, with status and headers. */
  call<Name extends OperationName>(
    name: Name,
    ...input: Arguments<Name>
  ): Promise<FullAnswer<AnswerOf<Name>>>;
  /** The outcome that an operation would have. Nothing is stored or charged. */
  dryRun<Name extends DryRunName>(name: Name, input: InputOf<Name>): Promise<DryRunOf<Name>>;
  /** Every row of a list, page by page as they are asked for. */
  all<Name extends ListName>(name: Name, ...input: Arguments<Name>): AsyncGenerator<RowOf<Name>>;
  waitFor: WaitFor;
};

type Route = {
  method: string;
  path: string;
  accept: string;
  key?: boolean;
  /** It changes nothing, although it is no GET. */
  reads?: boolean;
  /** It takes `X-Min-Log-Position`, although it is no GET. */
  awaitsWrites?: boolean;
};
type Input = CallExtras & { path?: Values; query?: Values; body?: unknown };

/** The caller's own key, which may stand among the headers; otherwise a new one. @throws ServiceError invalid_arguments */
const keyOf = ({ idempotencyKey, headers = {} }: Input): string => {
  const named = Object.entries(headers).filter(
    ([name]) => name.toLowerCase() === 'idempotency-key',
  );
  const keys = [idempotencyKey, ...named.map(([, key]) => key)].filter((key) => key !== undefined);
  const [key = uuid(), ...others] = keys;
  if (others.every((other) => other === key)) return key;
  const hint = 'Give one of them; nothing was sent.';
  throw clientError('invalid_arguments', 'The call has two idempotency keys that differ.', hint);
};

const inputNames = [
  ...['path', 'query', 'body', 'headers', 'accept', 'idempotencyKey', 'signal'],
] as const satisfies readonly (keyof Input)[];

/** A filter or field outside of path, query and body would be passed over. @throws ServiceError invalid_arguments */
const assertKnown = (input: Input): void => {
  const unknown = Object.keys(input).find((name) => !inputNames.some((one) => one === name));
  if (unknown === undefined) return;
  throw clientError(
    'invalid_arguments',
    `${unknown} is not a part of a call.`,
    `The parts are ${inputNames.join(', ')}: put it into one of them. Nothing was sent.`,
  );
};

const routeOf = (name: string): Route => {
  if (Object.hasOwn(routes, name)) return routes[name as OperationName];
  const detail = `There is no operation ${JSON.stringify(name)}.`;
  throw clientError('unknown_operation', detail, 'See /openapi.json for those that there are.');
};

/** @throws ServiceError invalid_options; every method throws ServiceError */
export const createClient = (options: ClientOptions = {}): Client => {
  const send = createSender(settingsOf(options));

  const call = async (name: string, input: Input = {}): Promise<FullAnswer<unknown>> => {
    const route = routeOf(name);
    assertKnown(input);
    const { method, path, accept, key = false, reads = false, awaitsWrites = false } = route;
    const isGet = method === 'GET';
    return send({
      method,
      accept: input.accept ?? accept,
      signal: input.signal,
      path: pathWith(path, input.path, input.query),
      body: jsonOf(input.body),
      headers: input.headers,
      repeatable: isGet || key || reads,
      awaitsWrites: isGet || awaitsWrites,
      idempotencyKey: key ? keyOf(input) : undefined,
    });
  };

  const dryRun = async (name: string, input: Input): Promise<unknown> => {
    const body = { ...(input.body as object), dry_run: true };
    return (await call(name, { ...input, body })).data;
  };

  async function* all(name: string, input: Input = {}): AsyncGenerator<unknown> {
    let cursor: unknown = input.query?.cursor;
    for (;;) {
      const query = { ...input.query, ...(cursor === undefined ? {} : { cursor }) };
      const { data } = await call(name, { ...input, query });
      const page = data as { data: unknown[]; has_more: boolean; next_cursor: string | null };
      yield* page.data;
      if (!page.has_more || page.next_cursor === null) return;
      if (page.next_cursor === cursor) {
        const hint = 'This is a mistake of the service.';
        throw clientError('endless_list', `${name} gave the same page twice.`, hint);
      }
      cursor = page.next_cursor;
    }
  }

  const methods = Object.fromEntries(
    Object.keys(routes).map((name) => [
      name,
      async (input?: Input) => (await call(name, input)).data,
    ]),
  ) as unknown as Operations;
  const readLetter = (id: string, signal: AbortSignal | undefined) =>
    methods.get_letter({ path: { id }, ...(signal && { signal }) });
  return { ...methods, call, dryRun, all, waitFor: createWaiter(readLetter) } as Client;
};
