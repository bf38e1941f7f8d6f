/** Faults of a stand-in server. Counters count down with each call that they hit. */
export type Faults = {
  /** The append is stored, its reply never comes (the caller meets its deadline). */
  dropAppendReplies: number;
  /** The append is stored, its reply comes `lateMs` later. */
  lateAppendReplies: number;
  lateMs: number;
  /** The append is stored, then every connection is reset. */
  resetAfterAppends: number;
  /** Every connection is reset before the append has come in whole. */
  resetAmidAppends: number;
  /** The append is stored, the reply says that the commit timed out. */
  timeOutAppends: number;
  /** The append is stored, the reply says that the deadline is over. */
  deadlineAppends: number;
  /** Nothing is stored, the reply is that the server is too busy. */
  unavailableAppends: number;
  /** Nothing is stored, the reply names another leader: `leader`, or this same server. */
  notLeaderAppends: number;
  /** Nothing is stored, the user may not. */
  deniedAppends: number;
  /** Reads, and subscriptions at their start, that are answered `Server Is Too Busy`. */
  unavailableReads: number;
  /** Reads that never answer. */
  hangingReads: number;
  /** Reads of the whole log, and subscriptions to it, that the user may not make. */
  deniedReads: number;
  /** Calls of any kind that are answered `Server Is Not Ready`, as without a majority. */
  notReadyCalls: number;
  /** Calls of any kind whose user or password is not known. */
  unauthenticatedCalls: number;
  /** Delay of every append before it is stored. */
  delayMs: number;
  /** Delay of every read backwards of more than one event. */
  searchMs: number;
  /** Stream reads carry no log positions, as on old servers. */
  hidePositions: boolean;
};

export type Counter = {
  [K in keyof Faults]: Faults[K] extends number ? K : never;
}[keyof Faults];

export const noFaults = (): Faults => ({
  dropAppendReplies: 0,
  lateAppendReplies: 0,
  lateMs: 0,
  resetAfterAppends: 0,
  resetAmidAppends: 0,
  timeOutAppends: 0,
  deadlineAppends: 0,
  unavailableAppends: 0,
  notLeaderAppends: 0,
  deniedAppends: 0,
  unavailableReads: 0,
  hangingReads: 0,
  deniedReads: 0,
  notReadyCalls: 0,
  unauthenticatedCalls: 0,
  delayMs: 0,
  searchMs: 0,
  hidePositions: false,
});
