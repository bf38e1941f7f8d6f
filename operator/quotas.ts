import {
  parseQuota,
  type QuotaName,
  quotaNames,
  setNamedQuotas,
} from '../service/operating/account-actions.ts';
import { theAccount } from '../service/operating/find-account.ts';
import { type CommandWork, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';

type QuotaOptions = { [K in QuotaName]?: string };

/** @throws UsageError */
const quotas = ([name, ...rest]: string[], options: QuotaOptions): CommandWork => {
  if (name === undefined || rest.length > 0) throw new UsageError('quotas takes one ACCOUNT');
  const wanted = Object.fromEntries(
    Object.entries(options).map(([option, text]) => [option, parseQuota(`--${option}`, text)]),
  );
  return async (foundation, print) => {
    const account = await theAccount(foundation, name);
    const changed = await setNamedQuotas(foundation, account, wanted);
    for (const [option, quota] of Object.entries(quotaNames)) {
      print(`${option}: ${changed[quota] ?? `${foundation.config.limits[quota]} (default)`}`);
    }
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
