/** A request through the mech that costs something: claimed, then served, or refused at no cost. */
import { AppError } from '../../contract/errors.ts';
import { type MechRequestEvent, mechRequestStream } from '../../events/mech.ts';
import type { Aggregate } from '../handling/aggregate.ts';

export type Claim = Extract<MechRequestEvent, { type: 'MechRequestClaimed' }>['data'];

export type MechRequest =
  | { status: 'none' }
  | { status: 'claimed' | 'served' | 'refused'; claim: Claim; claimedAt: string };

export const initialState = (): MechRequest => ({ status: 'none' });

const known = (state: MechRequest): Exclude<MechRequest, { status: 'none' }> => {
  if (state.status === 'none') throw new Error('a request that nobody claimed');
  return state;
};

export const evolve = (state: MechRequest, event: MechRequestEvent, at: string): MechRequest => {
  switch (event.type) {
    case 'MechRequestClaimed':
      return { status: 'claimed', claim: event.data, claimedAt: at };
    case 'MechRequestServed':
      return { ...known(state), status: 'served' };
    case 'MechRequestRefused':
      return { ...known(state), status: 'refused' };
    default: {
      const unknown: never = event;
      return unknown;
    }
  }
};

/** @throws AppError mech_request_reused */
export const assertSame = (
  state: MechRequest,
  { requestHash, accountId }: Pick<Claim, 'requestHash' | 'accountId'>,
): void => {
  if (state.status === 'none') return;
  const { claim } = state;
  if (claim.requestHash === requestHash && claim.accountId === accountId) return;
  throw new AppError(
    'mech_request_reused',
    'This request_id was used for another request; give each request an id of its own.',
  );
};

export type ClaimRequest = { type: 'ClaimRequest'; claim: Claim };

/** The same request again claims nothing more, unless it was refused. @throws AppError mech_request_reused */
export const claimRequest = (state: MechRequest, { claim }: ClaimRequest): MechRequestEvent[] => {
  assertSame(state, claim);
  return state.status === 'none' || state.status === 'refused'
    ? [{ type: 'MechRequestClaimed', data: claim }]
    : [];
};

export type ServeRequest = { type: 'ServeRequest'; letterId: string };

/** Once. What was done is served, also when it was given up meanwhile. */
export const serveRequest = (
  state: MechRequest,
  { letterId }: ServeRequest,
): MechRequestEvent[] => {
  const { status, claim } = known(state);
  const { requestKey, accountId, test, action, priceWei } = claim;
  const data = { requestKey, accountId, test, action, priceWei, letterId };
  return status === 'served' ? [] : [{ type: 'MechRequestServed', data }];
};

export type RefuseRequest = { type: 'RefuseRequest'; code: string };

export const refuseRequest = (state: MechRequest, { code }: RefuseRequest): MechRequestEvent[] => {
  const { status, claim } = known(state);
  const { requestKey, accountId, test } = claim;
  const data = { requestKey, accountId, test, code };
  return status === 'claimed' ? [{ type: 'MechRequestRefused', data }] : [];
};

export const mechRequestAggregate: Aggregate<MechRequest, MechRequestEvent> = {
  stream: mechRequestStream,
  initialState,
  evolve,
};
