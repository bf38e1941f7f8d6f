/** The issued credentials and their log, for readers. `infra/identity` implements it. */

export type StoredCredential = {
  /** Leaf of the log: 0, 1, 2 … */
  logIndex: number;
  eventId: string;
  stream: string;
  /** Version of the event in its stream, plus 1. */
  sequence: number;
  position: bigint;
  /** Account of the event; empty for the service's own events. */
  accountId: string;
  jwt: string;
};

/** A signed checkpoint: `note` is the C2SP text, `root` the 32-byte hash in it. */
export type CheckpointNote = { size: number; root: Buffer; note: string; at: string };

export type CredentialLog = {
  /** By sequence, upwards. */
  ofStream(stream: string, range?: { from?: number; limit?: number }): Promise<StoredCredential[]>;
  /** Newest first. `before`: a log index. */
  ofAccount(
    accountId: string,
    page: { before?: number; limit: number; stream?: string },
  ): Promise<StoredCredential[]>;
  /** The oldest first. `from`: a log index. */
  ofAccountFrom(
    accountId: string,
    page: { from: number; limit: number },
  ): Promise<StoredCredential[]>;
  byEventIds(eventIds: string[]): Promise<StoredCredential[]>;
  /** The latest. */
  checkpoint(): Promise<CheckpointNote | undefined>;
  /** Audit path of the leaf `index` in the tree of `size` leaves (RFC 6962 §2.1.1). */
  inclusion(index: number, size: number): Promise<Buffer[]>;
  /** Consistency proof between the trees of `first` and `second` leaves (RFC 6962 §2.1.2). */
  consistency(first: number, second: number): Promise<Buffer[]>;
  /** Hashes of a tile of 256, as tlog-tiles has them; `width` of them. */
  tile(level: number, index: number, width: number): Promise<Buffer | undefined>;
};
