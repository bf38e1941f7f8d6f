/** A request through the mech that costs something: claimed, then served, or refused at no cost. */
import { mechRequestReused } from '../../contract/refusals.ts';
import { type MechRequestEvent, mechRequestStream } from '../../events/mech.ts';
import type { Aggregate } from '../handling/aggregate.ts';

export type Claim = Extract<MechRequestEvent, { type: 'MechRequestClaimed' }>['data'];

type Kept = Pick<
  Extract<MechRequestEvent, { type: 'MechRequestServed' }>['data'],
  'letterId' | 'sealedAnswer' | 'answer'
>;

export type MechRequest =
  | { status: 'none' }
  | { status: 'claimed'; claim: Claim; claimedAt: string }
  | { status: 'served'; claim: Claim; claimedAt: string; kept: Kept }
  | { status: 'refused'; claim: Claim; claimedAt: string; code: string };

export const initialState = (): MechRequest => ({ status: 'none' });

const known = (state: MechRequest): Exclude<MechRequest, { status: 'none' }> => {
  if (state.status === 'none') throw new Error('a request that nobody claimed');
  return state;
};

export const evolve = (state: MechRequest, event: MechRequestEvent, at: string): MechRequest => {
  switch (event.type) {
    case 'MechRequestClaimed':
      return { status: 'claimed', claim: event.data, claimedAt: at };
    case 'MechRequestServed': {
      const { claim, claimedAt } = known(state);
      const { letterId, sealedAnswer, answer } = event.data;
      return { status: 'served', claim, claimedAt, kept: { letterId, sealedAnswer, answer } };
    }
    case 'MechRequestRefused': {
      const { claim, claimedAt } = known(state);
      return { status: 'refused', claim, claimedAt, code: event.data.code };
    }
    default: {
      const unknown: never = event;
      return unknown;
    }
  }
};

/** The code of what was not refused but left: it may still be done. */
const givenUp = 'given_up';

/** Another body for what was refused: nothing was done under the id. */
export const isCorrection = (
  state: MechRequest,
  { requestHash, accountId, action }: Pick<Claim, 'requestHash' | 'accountId' | 'action'>,
): boolean =>
  state.status === 'refused' &&
  state.code !== givenUp &&
  state.claim.requestHash !== requestHash &&
  state.claim.accountId === accountId &&
  state.claim.action === action;

/** @throws AppError mech_request_reused */
export const assertSame = (
  state: MechRequest,
  request: Pick<Claim, 'requestHash' | 'accountId' | 'action'>,
): void => {
  if (state.status === 'none' || isCorrection(state, request)) return;
  const { claim } = state;
  const { requestHash, accountId } = request;
  if (claim.requestHash === requestHash && claim.accountId === accountId) return;
  throw mechRequestReused();
};

type ClaimRequest = { type: 'ClaimRequest'; claim: Claim };

/** The same request again claims nothing more, unless it was refused. @throws AppError mech_request_reused */
export const claimRequest = (state: MechRequest, { claim }: ClaimRequest): MechRequestEvent[] => {
  assertSame(state, claim);
  return state.status === 'none' || state.status === 'refused'
    ? [{ type: 'MechRequestClaimed', data: claim }]
    : [];
};

type ServeRequest = { type: 'ServeRequest'; letterId: string; sealedAnswer?: string | undefined };

/** Once. A request that was carried out is served, even if it was given up in the meantime. */
export const serveRequest = (
  state: MechRequest,
  { letterId, sealedAnswer }: ServeRequest,
): MechRequestEvent[] => {
  const { status, claim } = known(state);
  const { requestKey, accountId, test, action, priceWei } = claim;
  const kept = sealedAnswer === undefined ? {} : { sealedAnswer };
  const data = { requestKey, accountId, test, action, priceWei, letterId, ...kept };
  return status === 'served' ? [] : [{ type: 'MechRequestServed', data }];
};

/** `requestHash`: of the body that was refused; what another body claimed since goes on. */
type RefuseRequest = { type: 'RefuseRequest'; code: string; requestHash?: string };

export const refuseRequest = (
  state: MechRequest,
  { code, requestHash }: RefuseRequest,
): MechRequestEvent[] => {
  const { status, claim } = known(state);
  if (requestHash !== undefined && requestHash !== claim.requestHash) return [];
  const { requestKey, accountId, test } = claim;
  const data = { requestKey, accountId, test, code };
  return status === 'claimed' ? [{ type: 'MechRequestRefused', data }] : [];
};

export const mechRequestAggregate: Aggregate<MechRequest, MechRequestEvent> = {
  stream: mechRequestStream,
  initialState,
  evolve,
};
