/** A UCAN token: issued, used, revoked; and the request that it was made for. */
import { AppError } from '../../contract/errors.ts';
import { keyReused } from '../../contract/refusals.ts';
import { type UcanEvent, ucanStream } from '../../events/ucan.ts';
import { type PersistentMap, persistentMap } from '../../ground/persistent-map.ts';
import { numberOf } from '../../ground/plural.ts';
import type { Aggregate } from '../handling/aggregate.ts';

type Issued = Extract<UcanEvent, { type: 'UcanIssued' }>['data'] & {
  token: string | undefined;
  at: string;
};

/** The result of a request with an Idempotency-Key. */
type UcanRequest = { requestHash: string; tokens: string[] | undefined; at: string };

export type UcanState = {
  issued: Issued | undefined;
  request: UcanRequest | undefined;
  revoked: { by: string; at: string } | undefined;
  /** Its uses, as an invocation and for letters. */
  invocations: PersistentMap<string, true>;
  letters: PersistentMap<string, true>;
};

export const initialState = (): UcanState => ({
  issued: undefined,
  request: undefined,
  revoked: undefined,
  invocations: persistentMap(),
  letters: persistentMap(),
});

export const evolve = (state: UcanState, event: UcanEvent, at: string): UcanState => {
  switch (event.type) {
    case 'UcanRequested': {
      const { requestHash } = event.data;
      return { ...state, request: { requestHash, tokens: event.personal?.tokens, at } };
    }
    case 'UcanIssued':
      return { ...state, issued: { ...event.data, token: event.personal?.token, at } };
    case 'UcanRevoked':
      return { ...state, revoked: { by: event.data.by, at } };
    case 'UcanUsed': {
      const { purpose, use } = event.data;
      return purpose === 'letter'
        ? { ...state, letters: state.letters.with(use, true) }
        : { ...state, invocations: state.invocations.with(use, true) };
    }
    default: {
      const unknown: never = event;
      return unknown;
    }
  }
};

export type RequestUcan = {
  type: 'RequestUcan';
  accountId: string;
  requestHash: string;
  /** Made for it, the one asked for last. */
  made: { cid: string; token: string }[];
};

/** @throws AppError idempotency_key_reused */
export const requestUcan = (state: UcanState, command: RequestUcan): UcanEvent[] => {
  const { accountId, requestHash, made } = command;
  if (state.request) {
    if (state.request.requestHash === requestHash) return [];
    throw keyReused();
  }
  return [
    {
      type: 'UcanRequested',
      data: { accountId, cids: made.map(({ cid }) => cid), requestHash },
      personal: { tokens: made.map(({ token }) => token) },
    },
  ];
};

export type IssueUcan = {
  type: 'IssueUcan';
  token: string;
  data: Extract<UcanEvent, { type: 'UcanIssued' }>['data'];
};

export const issueUcanToken = (state: UcanState, { token, data }: IssueUcan): UcanEvent[] =>
  state.issued ? [] : [{ type: 'UcanIssued', data, personal: { token } }];

export type RevokeUcan = { type: 'RevokeUcan'; cid: string; accountId?: string; by: string };

/** Irreversible; the first issuer who revokes it is remembered. */
export const revokeUcan = (state: UcanState, command: RevokeUcan): UcanEvent[] => {
  if (state.revoked) return [];
  const { cid, accountId, by } = command;
  return [
    { type: 'UcanRevoked', data: { cid, ...(accountId === undefined ? {} : { accountId }), by } },
  ];
};

export type InvokeUcan = {
  type: 'InvokeUcan';
  cid: string;
  accountId: string;
  /** The request; the same one again is no replay. */
  use: string;
};

/** An invocation counts for one write. @throws AppError ucan_invalid (replayed) */
export const invokeUcan = (state: UcanState, command: InvokeUcan): UcanEvent[] => {
  const { cid, accountId, use } = command;
  if (state.invocations.has(use)) return [];
  if (state.invocations.size > 0) {
    throw new AppError(
      'ucan_invalid',
      'This UCAN is an invocation that was already used. Sign a new one for each request.',
      { extra: { reason: 'replayed', cid } },
    );
  }
  return [{ type: 'UcanUsed', data: { cid, accountId, purpose: 'invocation', use } }];
};

export type CountLetter = {
  type: 'CountLetter';
  cid: string;
  accountId: string;
  letterId: string;
  maxLetters: number;
};

/** A letter counts once. @throws AppError caveat_not_met when no more letters are left */
export const countLetter = (state: UcanState, command: CountLetter): UcanEvent[] => {
  const { cid, accountId, letterId, maxLetters } = command;
  if (state.letters.has(letterId)) return [];
  if (state.letters.size >= maxLetters) {
    throw new AppError(
      'caveat_not_met',
      `The UCAN allows ${numberOf(maxLetters, 'letter')}, and none is left. Ask for a new token.`,
      { extra: { caveat: 'max_letters' } },
    );
  }
  return [{ type: 'UcanUsed', data: { cid, accountId, purpose: 'letter', use: letterId } }];
};

/** A token that counted fewer letters is read again each time: that takes no longer than to read what is new. */
const fewLetters = 100;

/** By CID; a request by the id of its command. */
export const ucanAggregate: Aggregate<UcanState, UcanEvent> = {
  stream: ucanStream,
  initialState,
  evolve,
  // Estimates: the token, and the id of each letter.
  cachedBytes: ({ letters }) =>
    letters.size < fewLetters ? undefined : 4_000 + 160 * letters.size,
};
