/** A service that takes x402 payments on a chain of its own. */
import { freePort } from '../free-port.ts';
import { startTestService } from '../service.ts';
import { startChain } from './chain.ts';
import { x402Settings } from './x402.ts';

export const startPaidService = async (env: Record<string, string> = {}) => {
  const chain = await startChain();
  const port = await freePort();
  try {
    const service = await startTestService({
      ...(await x402Settings(chain)),
      // Signatures name the service by its address.
      BASE_URL: `http://127.0.0.1:${port}`,
      PORT: String(port),
      ...env,
    });
    const stop = async (): Promise<void> => {
      await service.stop();
      await chain.stop();
    };
    return { chain, service, stop };
  } catch (error) {
    await chain.stop();
    throw error;
  }
};
