/** One operation calling another on behalf of somebody. */
import type { FieldError } from './errors.ts';

/** The answer of an operation, or the problem document of its refusal. */
export type Called = {
  status: number;
  /** In lower case. */
  headers: Readonly<Record<string, unknown>>;
  /** JSON; empty where it answers without a body, or with a file. */
  body: string;
  file?: Buffer | undefined;
  /** The `errors` of a refusal, with the facts that its JSON leaves out. */
  findings?: readonly FieldError[] | undefined;
};

/** The input of an operation, which REST sends as path, query, body and headers. */
export type CallInput = {
  params: Record<string, string>;
  query: Record<string, string | string[]>;
  body: Record<string, unknown>;
  /** In lower case. */
  headers: Record<string, string>;
};
