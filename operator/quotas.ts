import { randomUUID } from 'node:crypto';
import { accountAggregate, type Quotas } from '../commands/accounts/account.ts';
import { setQuotas } from '../commands/accounts/restrictions.ts';
import { type Command, exitCodes, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';
import { theAccount } from './find-account.ts';

/** The options and the quotas that they set. */
export const quotaNames = {
  'live-letters': 'liveLettersPerDay',
  'test-letters': 'testLettersPerDay',
  drafts: 'draftsPerAccount',
  bytes: 'storedBytesPerAccount',
} as const satisfies Record<string, keyof Quotas>;

type QuotaOptions = { [K in keyof typeof quotaNames]?: string };

/** @throws UsageError */
const quotas = ([name, ...rest]: string[], options: QuotaOptions): Command => {
  if (name === undefined || rest.length > 0) throw new UsageError('quotas takes one ACCOUNT');
  const wanted = Object.entries(options).map(([option, text]) => {
    if (!/^(\d{1,15}|default)$/.test(text ?? '')) {
      throw new UsageError(`--${option} ${text} must be a whole number, or default`);
    }
    return [quotaNames[option as keyof QuotaOptions], text] as const;
  });
  return async (foundation, print) => {
    const account = await theAccount(foundation, name);
    const changed: Quotas = { ...account.quotas };
    for (const [quota, text] of wanted) {
      if (text === 'default') delete changed[quota];
      else changed[quota] = Number(text);
    }
    const { accountId } = account;
    const context = { commandId: randomUUID(), actor: 'operator' };
    await foundation.commands.handler.handle(accountAggregate, accountId, context, (state) =>
      setQuotas(state, { type: 'SetQuotas', quotas: changed }),
    );
    for (const [option, quota] of Object.entries(quotaNames)) {
      print(`${option}: ${changed[quota] ?? `${foundation.config.limits[quota]} (default)`}`);
    }
    return exitCodes.done;
  };
};

export const quotasCommand = defineCommand({
  name: 'quotas',
  usage: 'ACCOUNT [--live-letters N] [--test-letters N] [--drafts N] [--bytes N]',
  summary: "Shows the quotas of an account, or replaces the service's limits for it.",
  help: `--live-letters, --test-letters: letters that the account may send in 24 hours.
--drafts: drafts that it may have at once. --bytes: documents and logos that it may keep.
N is a whole number, or default for the service's limit.`,
  options: { 'live-letters': 'text', 'test-letters': 'text', drafts: 'text', bytes: 'text' },
  read: quotas,
});
