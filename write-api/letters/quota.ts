type Sender = { accountId: string; test: boolean };

/** The remaining quotas of an account for sending and drafting letters. */
export type QuotaPort = {
  /**
   * Sends a letter, if the account may send one more. Requests that send nothing do not count. A repetition
   * is answered even when nothing is left.
   * @throws AppError quota_exceeded; errors of `send`
   */
  counted<T extends { sent: boolean }>(
    sender: Sender,
    send: () => Promise<T>,
    isRepeated: () => Promise<boolean>,
  ): Promise<T>;
  /** Whether the account may send one more letter now. Counts nothing. @throws AppError quota_exceeded */
  assertLeft(sender: Sender): Promise<void>;
  /**
   * Keeps a letter, if the account may have one more draft; a repetition, and a letter that is a draft
   * already, may.
   * @throws AppError quota_exceeded; errors of `keep`
   */
  drafted<T>(
    sender: Sender,
    letterId: string,
    keep: () => Promise<T>,
    isRepeated: () => Promise<boolean>,
  ): Promise<T>;
};
