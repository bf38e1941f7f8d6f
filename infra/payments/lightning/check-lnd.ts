import { Agent, request } from 'undici';
import { type Check, fail, ok } from '../../../ground/check.ts';
import type { LndSettings } from './lnd.ts';

const timeoutMs = 8_000;

/** Whether the node answers and lets its macaroon read invoices. No invoice is made. */
export const checkLnd = (settings: LndSettings | undefined): Check => ({
  name: 'lightning',
  remedy: 'start LND, or correct LND_REST_URL and LND_CERT',
  async run() {
    if (!settings) return ok('not configured (LND_REST_URL)');
    const { restUrl, macaroon, cert } = settings;
    const { host } = new URL(restUrl);
    const dispatcher = new Agent({ connect: { ca: cert, timeout: timeoutMs } });
    try {
      const answer = await request(`${restUrl}/v1/invoices?num_max_invoices=1`, {
        headers: { 'Grpc-Metadata-macaroon': macaroon },
        dispatcher,
        signal: AbortSignal.timeout(timeoutMs),
      });
      await answer.body.dump();
      if (answer.statusCode === 200) return ok(`LND at ${host} answers`);
      return fail(
        `LND at ${host} answers ${answer.statusCode}`,
        'unlock the wallet, and set LND_MACAROON to one that may create and read invoices',
      );
    } finally {
      await dispatcher.destroy();
    }
  },
});
