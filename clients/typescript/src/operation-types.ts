/** What each operation takes and answers, read out of the types of the OpenAPI document. */
import type { operations } from './generated/api.ts';
import type { routes } from './generated/routes.ts';

export type OperationName = keyof typeof routes & keyof operations;

type Member<T, Name extends string> = Name extends keyof T ? Exclude<T[Name], undefined> : never;
type Parameters<Name extends OperationName> = Member<operations[Name], 'parameters'>;

export type PathOf<Name extends OperationName> = Member<Parameters<Name>, 'path'>;
export type QueryOf<Name extends OperationName> = Member<Parameters<Name>, 'query'>;

type Content<T> = Member<T, 'content'>;
type RequestContent<Name extends OperationName> = Content<Member<operations[Name], 'requestBody'>>;

export type BodyOf<Name extends OperationName> =
  'application/json' extends keyof RequestContent<Name>
    ? RequestContent<Name>['application/json']
    : never;

type Responses<Name extends OperationName> = operations[Name]['responses'];
type Success = 200 | 201 | 202;
type ResponseContent<Name extends OperationName> = {
  [Status in keyof Responses<Name> & Success]: Content<Responses<Name>[Status]>;
}[keyof Responses<Name> & Success];

type OfType<C> = C extends unknown
  ? 'application/json' extends keyof C
    ? C['application/json']
    : keyof C extends `text/${string}`
      ? string
      : Uint8Array
  : never;

/** JSON where the operation has it; else text, or bytes. */
export type AnswerOf<Name extends OperationName> = OfType<ResponseContent<Name>>;

type Given<Key extends string, T> = [T] extends [never]
  ? unknown
  : Record<string, never> extends T
    ? { [K in Key]?: T }
    : { [K in Key]: T };

export type CallExtras = {
  /** Of operations that take one; default: a new one for each call. */
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

/** Operations that answer page by page. */
export type ListName = {
  [Name in OperationName]: AnswerOf<Name> extends { data: unknown[]; next_cursor: string | null }
    ? Name
    : never;
}[OperationName];

export type RowOf<Name extends ListName> =
  AnswerOf<Name> extends { data: (infer Row)[] } ? Row : never;
