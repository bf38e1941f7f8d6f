import { AppError, type ErrorCode, errorCodes } from '../contract/errors.ts';
import { type AnyOperation, operation } from '../contract/operation.ts';
import { remedyOf } from '../contract/remedy.ts';
import { pathPrefixOf } from '../ground/path-prefix.ts';
import { Type } from '../ground/type.ts';
import { type ErrorFacts, errorListPage, errorPage } from '../pages/errors/error-pages.ts';
import { framePolicy } from '../pages/reference/frame.ts';
import { serviceVersion } from './general.ts';

const produces = ['application/json', 'text/html'];

const ErrorInfo = Type.Named('ErrorInfo', {
  code: Type.String(),
  status: Type.Integer(),
  title: Type.String({ description: 'The meaning of the error.' }),
  way_out: Type.String({ description: 'What the caller can do.' }),
  type: Type.String({ format: 'uri', description: 'The title in problem documents.' }),
  operations: Type.Array(
    Type.Object({
      name: Type.String(),
      method: Type.String(),
      path: Type.String(),
      summary: Type.String(),
    }),
    { description: 'The operations that can answer it.' },
  ),
});

type ErrorPorts = {
  baseUrl: string;
  /** As its operator calls the service. */
  service: string;
  operations: () => readonly AnyOperation[];
  /** Every code that an operation can answer with. */
  codesOf: (operation: AnyOperation) => readonly ErrorCode[];
};

const keptSeconds = 300;

const once = <T>(make: () => T): (() => T) => {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

/** Answers at the `type` of a problem document: data for programs, a page for people. */
export const errorOperations = ({
  baseUrl,
  service,
  operations,
  codesOf,
}: ErrorPorts): AnyOperation[] => {
  const prefix = pathPrefixOf(baseUrl);
  const publisher = { service, prefix, version: serviceVersion };
  const operationsWith = once(() => {
    const pairs = operations().flatMap((one) => codesOf(one).map((code) => ({ code, one })));
    return Map.groupBy(pairs, ({ code }) => code);
  });
  const factsOf = (code: ErrorCode) => ({
    code,
    ...errorCodes[code],
    way_out: remedyOf(code),
    type: `${baseUrl}/errors/${code}`,
    operations: (operationsWith().get(code) ?? []).map(({ one }) => {
      const { name, method, path, summary } = one;
      return { name, method, path, summary };
    }),
  });
  /** Answers by path and media type: the table of operations does not change. */
  const answered = new Map<string, Buffer>();
  const answer = <F>(path: string, accept: string, facts: () => F, page: (shown: F) => string) => {
    const isPage = accept === 'text/html';
    const key = `${path} ${isPage ? 'page' : 'data'}`;
    const body = answered.get(key) ?? Buffer.from(isPage ? page(facts()) : JSON.stringify(facts()));
    answered.set(key, body);
    const type = { 'Content-Type': 'text/html; charset=utf-8' };
    const headers = { ...type, 'Content-Security-Policy': framePolicy };
    return { body, keptSeconds, ...(isPage ? { headers } : {}) };
  };

  const list = operation({
    name: 'list_errors',
    method: 'GET',
    path: '/errors',
    tag: 'General',
    summary: 'List all errors',
    description: 'With `Accept: text/html` it answers a page.',
    access: 'public',
    input: {},
    responses: {
      200: {
        description: 'By status',
        schema: Type.Named('ErrorList', { data: Type.Array(ErrorInfo) }),
        produces,
      },
    },
    errors: [],
    handle({ accept }) {
      const all = () => {
        const codes = Object.keys(errorCodes) as ErrorCode[];
        return { data: codes.map(factsOf).sort((a, b) => a.status - b.status) };
      };
      return answer('', accept, all, ({ data }) => errorListPage(data, publisher));
    },
  });

  const get = operation({
    name: 'get_error',
    method: 'GET',
    path: '/errors/{code}',
    tag: 'General',
    summary: 'Explain an error and what to do',
    description:
      'This address is the `type` of a problem document. With `Accept: text/html` it answers a page.',
    access: 'public',
    input: { params: Type.Object({ code: Type.String({ pattern: '^[a-z0-9_]{1,64}$' }) }) },
    responses: { 200: { description: 'The error', schema: ErrorInfo, produces } },
    errors: [],
    handle({ params, accept }) {
      const { code } = params;
      if (!Object.hasOwn(errorCodes, code)) {
        throw new AppError(
          'not_found',
          'There is no error with this code. GET /errors lists all errors.',
        );
      }
      const facts = (): ErrorFacts => factsOf(code as ErrorCode);
      return answer(code, accept, facts, (shown) => errorPage(shown, publisher));
    },
  });

  return [list, get];
};
