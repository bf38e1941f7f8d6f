import { type Check, fail, ok } from '../../../ground/check.ts';
import type { Network } from './networks.ts';

const timeoutMs = 8_000;
const remedy = 'correct X402_FACILITATOR_URL, or ask who runs it';

/** Whether the facilitator answers and settles payments on our network. */
export const checkFacilitator = (
  x402: { facilitatorUrl?: string | undefined; network: Network } | undefined,
): Check => ({
  name: 'facilitator',
  remedy,
  async run() {
    if (x402?.facilitatorUrl === undefined) return ok('not configured (X402_FACILITATOR_URL)');
    const { facilitatorState } = await import('./facilitator.ts');
    const { facilitatorUrl, network } = x402;
    const state = await facilitatorState(facilitatorUrl, network, timeoutMs);
    if (state === 'settles') return ok(`it settles payments on ${network.nameV1}`);
    return state === 'away'
      ? fail('it does not answer GET /supported', remedy)
      : fail(
          `it settles no exact payments of version 2 on ${network.nameV1}`,
          'set X402_FACILITATOR_URL to one that does',
        );
  },
});
