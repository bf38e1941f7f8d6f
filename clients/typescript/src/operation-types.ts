/** Input and answer of each operation, derived from the types of the OpenAPI document. */
import type { operations } from './generated/operations.ts';
import type { routes } from './generated/routes.ts';

export type OperationName = keyof typeof routes & keyof operations;

type Member<T, Name extends string> = Name extends keyof T ? T[Name] : never;

export type PathOf<Name extends OperationName> = Member<operations[Name], 'path'>;
export type QueryOf<Name extends OperationName> = Member<operations[Name], 'query'>;
export type BodyOf<Name extends OperationName> = Member<operations[Name], 'body'>;

/** JSON if the operation has it, otherwise text or bytes. */
export type AnswerOf<Name extends OperationName> = operations[Name]['answer'];

/** The answer with `dry_run: true`; never: the operation has no dry run. */
export type DryRunOf<Name extends OperationName> = Member<operations[Name], 'dry_run'>;

type Given<Key extends string, T> = [T] extends [never]
  ? unknown
  : Record<string, never> extends T
    ? { [K in Key]?: T }
    : { [K in Key]: T };

export type CallExtras = {
  /** Of operations that take one; default: the one in `headers`, otherwise a new one for each call. */
  idempotencyKey?: string;
  /** Further headers, such as `If-Match` and `X-Min-Log-Position`. */
  headers?: Record<string, string>;
  /** Another media type of the answer, which is then text or bytes: `application/pdf`. */
  accept?: string;
  signal?: AbortSignal;
};

export type InputOf<Name extends OperationName> = Given<'path', PathOf<Name>> &
  Given<'query', QueryOf<Name>> &
  Given<'body', BodyOf<Name>> &
  CallExtras;

/** Operations whose input may be left out. */
export type Arguments<Name extends OperationName> =
  Record<string, never> extends InputOf<Name> ? [input?: InputOf<Name>] : [input: InputOf<Name>];

/** Operations that take `dry_run`. */
export type DryRunName = {
  [Name in OperationName]: [DryRunOf<Name>] extends [never] ? never : Name;
}[OperationName];

/** Operations that answer page by page. */
export type ListName = {
  [Name in OperationName]: AnswerOf<Name> extends { data: unknown[]; next_cursor: string | null }
    ? Name
    : never;
}[OperationName];

export type RowOf<Name extends ListName> =
  AnswerOf<Name> extends { data: (infer Row)[] } ? Row : never;
