type Sender = { accountId: string; test: boolean };

/** What an account may still send and draft. */
export type QuotaPort = {
  /**
   * Sends a letter, if the account may send one more. What sent none does not count; a repetition is answered
   * also when nothing is left.
   * @throws AppError quota_exceeded; what `send` throws
   */
  counted<T extends { sent: boolean }>(
    sender: Sender,
    send: () => Promise<T>,
    isRepeated: () => Promise<boolean>,
  ): Promise<T>;
  /**
   * Keeps a letter, if the account may have one more draft; a repetition, and what is a draft already, may.
   * @throws AppError quota_exceeded; what `keep` throws
   */
  drafted<T>(
    sender: Sender,
    letterId: string,
    keep: () => Promise<T>,
    isRepeated: () => Promise<boolean>,
  ): Promise<T>;
};
