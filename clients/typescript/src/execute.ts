/** Calls a tool of the catalogue by its name. Failures are returned as data, so that an agent can read them. */
import { uuid } from './encoding.ts';
import { clientError, type ErrorData, type Finding, ServiceError } from './errors.ts';
import { catalogue } from './generated/catalogue.ts';
import { type ClientOptions, settingsOf } from './options.ts';
import { jsonOf, pathWith } from './path.ts';
import { createSender } from './send.ts';
import { findingsIn, type Schema } from './validate.ts';

export type ToolSpec = {
  name: string;
  title: string;
  description: string;
  /** Of the arguments: flat, without references, so that every framework takes it. */
  parameters: Schema & { type: 'object'; properties: Record<string, Schema> };
  /** The first fields of the answer. */
  returns: Schema;
  /** Where arguments go; those that are neither in the path, the query nor a header are the body. */
  http: {
    method: string;
    path: string;
    path_params: string[];
    query: string[];
    headers: Record<string, string>;
  };
  /** Arguments that are taken as well and not shown to a model. */
  also_accepts: string[];
  scope: string;
  payable: boolean;
  read_only: boolean;
  destructive: boolean;
  /** Takes an `Idempotency-Key`: the same key again is no second act. */
  idempotent: boolean;
  /** Takes `X-Min-Log-Position`: it answers or decides by what the caller wrote before. */
  awaits_writes: boolean;
};

/** The catalogue, as `tools.json` has it. */
export const tools = catalogue.tools as unknown as readonly ToolSpec[];

export type ToolArguments = Readonly<Record<string, unknown>>;
export type ToolFailure = { error: ErrorData };
/** The answer of the service, or `{ error }`. */
export type ToolResult = { readonly [field: string]: unknown; error?: ErrorData };
export type CallOptions = { signal?: AbortSignal | undefined };
export type Execute = (
  name: string,
  args?: ToolArguments | null,
  options?: CallOptions,
) => Promise<ToolResult>;

const invalid = (name: string, errors: Finding[]) =>
  clientError(
    'invalid_arguments',
    `The arguments of ${name} are not valid: ${errors.map(({ detail }) => detail).join(' ')}`,
    'Correct them and call again; nothing was sent.',
    { errors },
  );

const toolNamed = (name: string): ToolSpec => {
  const tool = tools.find((one) => one.name === name);
  if (tool) return tool;
  const names = tools.map((one) => one.name).join(', ');
  const detail = `There is no tool ${JSON.stringify(String(name).slice(0, 64))}.`;
  throw clientError('unknown_tool', detail, `Those that there are: ${names}.`);
};

/** Null means that an argument is left out. @throws ServiceError invalid_arguments */
const givenTo = (tool: ToolSpec, args: unknown): Record<string, unknown> => {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) {
    throw invalid(tool.name, [{ pointer: '', detail: 'They must be an object.' }]);
  }
  const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value != null));
  const listed = Object.entries(given).filter(([name]) => !tool.also_accepts.includes(name));
  const findings = findingsIn(tool.parameters, Object.fromEntries(listed));
  if (findings.length > 0) throw invalid(tool.name, findings);
  return given;
};

/** The arguments as `execute` takes them. @throws ServiceError unknown_tool, invalid_arguments */
export const checkedArguments = (name: string, args: unknown): ToolArguments =>
  givenTo(toolNamed(name), args ?? {});

const picked = (given: Record<string, unknown>, names: readonly string[]) =>
  Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name)));

const endpoint = /\b(GET|POST|PUT|PATCH|DELETE) (\/[\w{}/-]+)(?![\w?/{}-])/g;

const isAt = ({ http }: ToolSpec, method: string, path: string): boolean =>
  http.method === method && new RegExp(`^${http.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);

/** Refusals name operations by method and path; an agent has tools with names of their own. */
const nameTools = (text: string): string =>
  text.replaceAll(endpoint, (named, method: string, path: string) => {
    const tool = tools.find((one) => isAt(one, method, path));
    return tool?.name ?? named;
  });

const inToolNames = ({ error }: ToolFailure): ToolFailure => {
  const errors = error.errors?.map((finding) => ({
    ...finding,
    detail: nameTools(finding.detail),
    ...(finding.hint === undefined ? {} : { hint: nameTools(finding.hint) }),
  }));
  return {
    error: {
      ...error,
      detail: nameTools(error.detail),
      ...(errors === undefined ? {} : { errors }),
    },
  };
};

/** Any failure as data. */
export const failureOf = (error: unknown): ToolFailure =>
  error instanceof ServiceError
    ? error.toJSON()
    : clientError('client_error', String(error), 'This is a mistake of the program.').toJSON();

export const createExecutor = (options: ClientOptions = {}): Execute => {
  const send = createSender(settingsOf(options));
  return async (name, args, { signal } = {}) => {
    try {
      const tool = toolNamed(name);
      const { http, idempotent, read_only: readOnly, awaits_writes: awaitsWrites } = tool;
      const given = givenTo(tool, args ?? {});
      const { path_params: inPath, query, headers } = http;
      const elsewhere = [...inPath, ...query, ...Object.keys(headers)];
      const body = picked(
        given,
        Object.keys(given).filter((field) => !elsewhere.includes(field)),
      );
      const { data } = await send({
        method: http.method,
        path: pathWith(http.path, picked(given, inPath), picked(given, query)),
        body: http.method === 'GET' ? undefined : jsonOf(body),
        accept: 'application/json',
        repeatable: readOnly || idempotent,
        awaitsWrites,
        idempotencyKey: idempotent ? String(given.idempotency_key ?? uuid()) : undefined,
        signal,
      });
      return data as Record<string, unknown>;
    } catch (error) {
      return inToolNames(failureOf(error));
    }
  };
};

/** Calls one tool. Never throws: a failure is `{ error }`. */
export const execute = async (
  name: string,
  args?: ToolArguments | null,
  { signal, ...options }: ClientOptions & CallOptions = {},
): Promise<ToolResult> => {
  try {
    return await createExecutor(options)(name, args, { signal });
  } catch (error) {
    return failureOf(error);
  }
};
