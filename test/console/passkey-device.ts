/** A browser with an authenticator that confirms its user without asking. */
import type { CDPSession } from 'puppeteer-core';

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
