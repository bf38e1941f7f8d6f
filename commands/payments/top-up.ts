/** A top-up: asked for, paid or not. */

import { keyReused } from '../../contract/refusals.ts';
import { type TopUpEvent, topUpStream } from '../../events/top-up.ts';
import { dayMs } from '../../ground/day.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import type { MicroUsd } from '../../money/amounts.ts';
import type { Aggregate } from '../handling/aggregate.ts';

type Requested = Extract<TopUpEvent, { type: 'TopUpRequested' }>['data'];

type Asked = Requested & { handed: string; sender?: string | undefined };

export type TopUp =
  | { status: 'none' }
  | { status: 'pending' | 'expired'; asked: Asked }
  | { status: 'paid'; asked: Asked; receiptId: string; creditedMicro: MicroUsd; paidAt: string };

/** The top-up that a command asks for. */
export const topUpIdOf = (commandId: string): string => uuidv5(commandId, 'topup');

const initialState = (): TopUp => ({ status: 'none' });

const askedOf = (state: TopUp): Asked => {
  if (state.status === 'none') throw new Error('a top-up that nobody asked for');
  return state.asked;
};

const evolve = (state: TopUp, event: TopUpEvent, at: string): TopUp => {
  switch (event.type) {
    case 'TopUpRequested':
      return {
        status: 'pending',
        asked: {
          ...event.data,
          handed: event.personal?.handed ?? '',
          sender: event.personal?.sender,
        },
      };
    case 'TopUpPaid': {
      const { receiptId, amountMicro } = event.data;
      const creditedMicro = BigInt(amountMicro);
      return { status: 'paid', asked: askedOf(state), receiptId, creditedMicro, paidAt: at };
    }
    case 'TopUpExpired':
      return { status: 'expired', asked: askedOf(state) };
    default: {
      const unknown: never = event;
      return unknown;
    }
  }
};

type RequestTopUp = { type: 'RequestTopUp'; asked: Asked };

/** @throws AppError idempotency_key_reused */
export const requestTopUp = (state: TopUp, { asked }: RequestTopUp): TopUpEvent[] => {
  if (state.status === 'none') {
    const { handed, sender, ...data } = asked;
    const personal = sender === undefined ? { handed } : { handed, sender };
    return [{ type: 'TopUpRequested', data, personal }];
  }
  if (state.asked.requestHash === asked.requestHash) return [];
  throw keyReused();
};

type PayTopUp = { type: 'PayTopUp'; receiptId: string; amountMicro: MicroUsd };

/** Once; also after it expired, since money that came has an owner. */
export const payTopUp = (state: TopUp, { receiptId, amountMicro }: PayTopUp): TopUpEvent[] => {
  const { topUpId } = askedOf(state);
  if (state.status === 'paid') return [];
  return [{ type: 'TopUpPaid', data: { topUpId, receiptId, amountMicro: Number(amountMicro) } }];
};

/** CHOICE: a provider that does not know a top-up may find it again within this time after it expired. */
const unknownMs = 7 * dayMs;

type ExpireTopUp = {
  type: 'ExpireTopUp';
  /** The provider does not know it, so it expires some days after its time. */
  isUnknown: boolean;
};

/** Expires a pending top-up; one that its provider does not know only after `unknownMs`. @param at RFC 3339 */
export const expireTopUp = (state: TopUp, { isUnknown }: ExpireTopUp, at: string): TopUpEvent[] => {
  if (state.status !== 'pending') return [];
  const { topUpId, expiresAt } = state.asked;
  if (isUnknown && Date.parse(at) < Date.parse(expiresAt) + unknownMs) return [];
  return [{ type: 'TopUpExpired', data: { topUpId } }];
};

export const topUpAggregate: Aggregate<TopUp, TopUpEvent> = {
  stream: topUpStream,
  initialState,
  evolve,
};
