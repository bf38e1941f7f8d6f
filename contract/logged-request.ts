/** A request as its owner sees it later, without addresses and without anything that was sent or answered. */
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
