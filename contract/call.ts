/** One operation calling another on behalf of somebody. */

/** What an operation answered, or the problem document of its refusal. */
export type Called = {
  status: number;
  /** In lower case. */
  headers: Readonly<Record<string, unknown>>;
  /** JSON; empty where it answers without a body, or with a file. */
  body: string;
  file?: Buffer | undefined;
};

/** What an operation is given: what is sent as path, query, body and headers over REST. */
export type CallInput = {
  params: Record<string, string>;
  query: Record<string, string | string[]>;
  body: Record<string, unknown>;
  /** In lower case. */
  headers: Record<string, string>;
};
