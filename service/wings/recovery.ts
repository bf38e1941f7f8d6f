/** How lost API keys are replaced, by a link in a mail. */
import { createEmailTokens } from '../../commands/accounts/confirmation.ts';
import type { FindAddress } from '../../commands/accounts/find-address.ts';
import { createRecoveryTokens, type RecoveryTokens } from '../../commands/accounts/recovery.ts';
import type { Clock } from '../../ground/clock.ts';
import type { Db } from '../../ground/db.ts';
import { linkMailId, linkPeriodOf } from '../../reactors/mail-subject.ts';
import type { Recovery } from '../../write-api/recovery.ts';
import type { Config } from '../config/config.ts';
import type { DerivedKeys } from '../foundation/keys.ts';
import { enqueueMailsIn } from './mail-jobs.ts';

type Ports = {
  config: Pick<Config, 'mail'>;
  clock: Clock;
  storage: { readDb: Db };
  keys: Pick<DerivedKeys, 'derive'>;
};

export const recoveryTokensOf = ({ keys }: Pick<Ports, 'keys'>): RecoveryTokens =>
  createRecoveryTokens(keys.derive('recovery'));

/** Of links that sign in to the console: the same tokens under a key of their own. */
export const signInTokensOf = ({ keys }: Pick<Ports, 'keys'>): RecoveryTokens =>
  createRecoveryTokens(keys.derive('sign-in-links'));

/** Sends a link to sign in to each account with an address, live and test, unless it just got one. */
export const createSignInMails = (
  ports: Ports,
  findAddress: FindAddress,
): ((email: string) => Promise<void>) => {
  const enqueue = enqueueMailsIn(ports.storage.readDb, ports.clock);
  return async (email) => {
    const now = ports.clock();
    const period = linkPeriodOf(now);
    for (const test of [false, true]) {
      const found = await findAddress(email, test);
      if (found.kind !== 'account') continue;
      const { accountId } = found;
      const job = { kind: 'sign_in' as const, accountId, period };
      await enqueue(linkMailId('sign_in', accountId, period), job, now);
    }
  };
};

/** Ports of links about an address. */
export const emailLinksOf = ({ keys }: { keys: DerivedKeys }) => ({
  emailTokens: createEmailTokens(keys.derive('email-links')),
  digestOfEmail: (email: string): string => keys.indexOf('email', email.toLowerCase()),
});

/** The job of a link is added whether mail is configured or not, so that both answer equally fast. */
export const createRecovery = (ports: Ports): Recovery => {
  const enqueue = enqueueMailsIn(ports.storage.readDb, ports.clock);
  return {
    tokens: recoveryTokensOf(ports),
    mailConfigured: ports.config.mail !== undefined,
    sendLink(accountId) {
      const now = ports.clock();
      const period = linkPeriodOf(now);
      const job = { kind: 'recovery' as const, accountId, period };
      return enqueue(linkMailId('recovery', accountId, period), job, now);
    },
  };
};
