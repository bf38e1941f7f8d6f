import Type from 'typebox';
import { AppError, type ErrorCode, errorCodes } from '../contract/errors.ts';
import { type AnyOperation, operation } from '../contract/operation.ts';
import { wayOutOf } from '../contract/way-out.ts';
import { type ErrorFacts, errorListPage, errorPage } from '../pages/errors/error-pages.ts';
import { framePolicy } from '../pages/reference/frame.ts';
import { serviceVersion } from './general.ts';

const produces = ['application/json', 'text/html'];

const ErrorInfo = Type.Object(
  {
    code: Type.String(),
    status: Type.Integer(),
    title: Type.String({ description: 'What it means.' }),
    way_out: Type.String({ description: 'What whoever meets it can do.' }),
    type: Type.String({ format: 'uri', description: 'As problem documents name it.' }),
    operations: Type.Array(
      Type.Object({
        name: Type.String(),
        method: Type.String(),
        path: Type.String(),
        summary: Type.String(),
      }),
      { description: 'Those that can answer it.' },
    ),
  },
  { title: 'ErrorInfo' },
);

export type ErrorPorts = {
  baseUrl: string;
  /** As its operator calls the service. */
  service: string;
  operations: () => readonly AnyOperation[];
  /** Every code that an operation can answer with. */
  codesOf: (operation: AnyOperation) => readonly ErrorCode[];
};

/** What the `type` of a problem document leads to: data for programs, a page for people. */
export const errorOperations = ({
  baseUrl,
  service,
  operations,
  codesOf,
}: ErrorPorts): AnyOperation[] => {
  const prefix = new URL(baseUrl).pathname.replace(/\/$/, '');
  const publisher = { service, prefix, version: serviceVersion };
  const factsOf = (code: ErrorCode) => ({
    code,
    ...errorCodes[code],
    way_out: wayOutOf(code),
    type: `${baseUrl}/errors/${code}`,
    operations: operations()
      .filter((one) => codesOf(one).includes(code))
      .map(({ name, method, path, summary }) => ({ name, method, path, summary })),
  });
  const answer = <F>(accept: string, facts: F, page: (facts: F) => string) =>
    accept === 'text/html'
      ? {
          body: Buffer.from(page(facts)),
          headers: {
            'Content-Type': 'text/html; charset=utf-8',
            'Content-Security-Policy': framePolicy,
          },
        }
      : { body: facts };

  const list = operation({
    name: 'list_errors',
    method: 'GET',
    path: '/errors',
    tag: 'General',
    summary: 'Every error that there is',
    description: 'With `Accept: text/html` a page.',
    access: 'public',
    input: {},
    responses: {
      200: {
        description: 'By status',
        schema: Type.Object({ data: Type.Array(ErrorInfo) }, { title: 'ErrorList' }),
        produces,
      },
    },
    errors: [],
    handle({ accept }) {
      const codes = Object.keys(errorCodes) as ErrorCode[];
      const data = codes.map(factsOf).sort((a, b) => a.status - b.status);
      return answer(accept, { data }, (shown) => errorListPage(shown.data, publisher));
    },
  });

  const get = operation({
    name: 'get_error',
    method: 'GET',
    path: '/errors/{code}',
    tag: 'General',
    summary: 'What an error means, and the way out',
    description:
      'The `type` of a problem document is this address. With `Accept: text/html` a page.',
    access: 'public',
    input: { params: Type.Object({ code: Type.String({ pattern: '^[a-z0-9_]{1,64}$' }) }) },
    responses: { 200: { description: 'The error', schema: ErrorInfo, produces } },
    errors: [],
    handle({ params, accept }) {
      const { code } = params;
      if (!Object.hasOwn(errorCodes, code)) {
        throw new AppError(
          'not_found',
          'There is no error with this code; GET /errors lists them.',
        );
      }
      return answer(accept, factsOf(code as ErrorCode), (facts: ErrorFacts) =>
        errorPage(facts, publisher),
      );
    },
  });

  return [list, get];
};
