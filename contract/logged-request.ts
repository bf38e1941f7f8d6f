/** What an owner sees of a request later: nothing that was sent or answered, and no address. */
export type LoggedRequest = {
  accountId: string;
  /** A key, or a UCAN as `ucan:<cid>`. */
  keyId: string;
  operation: string;
  status: number;
  /** The code of the error; undefined without one. */
  code: string | undefined;
  requestId: string;
  ms: number;
};
