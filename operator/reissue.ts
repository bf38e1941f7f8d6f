import { createIssuerAt } from '../infra/identity/issuer-at.ts';
import { LogDiffers, reissueCredentials } from '../infra/identity/reissue.ts';
import { type CommandWork, pace, Refused, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';

/** @throws UsageError */
const reissue = (positionals: string[]): CommandWork => {
  if (positionals.length > 0) throw new UsageError('reissue-credentials takes no arguments');
  return async ({ storage: { store, readDb: db }, keys: { serviceKeys }, clock }, print) => {
    const startMs = performance.now();
    try {
      const issuerAt = createIssuerAt(serviceKeys);
      const { credentials } = await reissueCredentials({ store, db, issuerAt, clock });
      print(`issued again, the same log: ${pace(credentials, performance.now() - startMs)}`);
      return;
    } catch (error) {
      if (error instanceof LogDiffers) throw new Refused(error.message);
      throw error;
    }
  };
};

export const reissueCommand = defineCommand({
  name: 'reissue-credentials',
  usage: '',
  summary: 'Issues every credential again, and replaces the stored ones if the bytes are the same.',
  read: reissue,
});
