/** How lost API keys are replaced, by a link in a mail. */
import { createEmailTokens } from '../../commands/accounts/confirmation.ts';
import { createRecoveryTokens, type RecoveryTokens } from '../../commands/accounts/recovery.ts';
import type { Clock } from '../../ground/clock.ts';
import type { Db } from '../../ground/db.ts';
import { recoveryMailId, recoveryPeriodOf } from '../../reactors/mail-subject.ts';
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

/** What links about an address are made of. */
export const emailLinksOf = ({ keys }: { keys: DerivedKeys }) => ({
  emailTokens: createEmailTokens(keys.derive('email-links')),
  digestOfEmail: (email: string): string => keys.indexOf('email', email.toLowerCase()),
});

/** The job of a link is added whether mail is configured or not, so that both answer equally fast. */
export const createRecovery = (ports: Ports): Recovery => {
  const enqueue = enqueueMailsIn(ports.storage.readDb);
  return {
    tokens: recoveryTokensOf(ports),
    mailConfigured: ports.config.mail !== undefined,
    sendLink(accountId) {
      const now = ports.clock();
      const period = recoveryPeriodOf(now);
      const job = { kind: 'recovery' as const, accountId, period };
      return enqueue(recoveryMailId(accountId, period), job, now);
    },
  };
};
