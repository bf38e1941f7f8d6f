/** A browser with an authenticator that confirms its user without asking. */
import { createServer } from 'node:net';
import type { CDPSession } from 'puppeteer-core';

/** A port for a service whose public address must be known before it starts. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
};

/** @param cdp a session that stays: the authenticator is gone as soon as any session of the page ends */
export const withAuthenticator = async (cdp: CDPSession): Promise<string> => {
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return authenticatorId;
};
