/** A facilitator of x402 elsewhere, asked over HTTP. */
import { HTTPFacilitatorClient } from '@x402/core/http';
import {
  type PaymentPayload,
  type PaymentRequirements,
  SettleError,
  VerifyError,
} from '@x402/core/types';
import type { FacilitatorState } from '../../../commands/payments/rails.ts';
import type { Network } from './networks.ts';

type Verdict = { isValid: boolean; invalidReason?: string };
type Settled = { success: boolean; transaction: string; errorReason?: string };

/** Verifies and settles payments. */
export type Facilitator = {
  verify(payload: PaymentPayload, requirements: PaymentRequirements): Promise<Verdict>;
  settle(payload: PaymentPayload, requirements: PaymentRequirements): Promise<Settled>;
};

/** Below it, the status of an answer is about the payment; from it on, the facilitator itself failed. */
const serverError = 500;

/**
 * Some facilitators give their verdict with a status of 4xx, which the library throws.
 * @throws Error where there is no answer within `timeoutMs`
 */
export const remoteFacilitator = (url: string, timeoutMs: number): Facilitator => {
  const client = new HTTPFacilitatorClient({ url, timeoutMs });
  return {
    verify: (payload, requirements) =>
      client.verify(payload, requirements).catch((error: unknown) => {
        if (!(error instanceof VerifyError) || error.statusCode >= serverError) throw error;
        const { invalidReason } = error;
        return { isValid: false, ...(invalidReason === undefined ? {} : { invalidReason }) };
      }),
    settle: (payload, requirements) =>
      client.settle(payload, requirements).catch((error: unknown) => {
        if (!(error instanceof SettleError) || error.statusCode >= serverError) throw error;
        const { transaction, errorReason } = error;
        return {
          success: false,
          transaction,
          ...(errorReason === undefined ? {} : { errorReason }),
        };
      }),
  };
};

/** Whether the facilitator says that it settles what we send: exact payments of version 2 on this network. */
export const facilitatorState = async (
  url: string,
  { network }: Pick<Network, 'network'>,
  timeoutMs: number,
): Promise<FacilitatorState> => {
  try {
    const { kinds } = await new HTTPFacilitatorClient({ url, timeoutMs }).getSupported();
    const ours = [network, `${network.split(':')[0]}:*`];
    return kinds.some(
      (kind) => kind.x402Version === 2 && kind.scheme === 'exact' && ours.includes(kind.network),
    )
      ? 'settles'
      : 'other-networks';
  } catch {
    // Its text may contain the address, which may contain a key.
    return 'away';
  }
};
