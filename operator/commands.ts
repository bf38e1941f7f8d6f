import { parseArgs } from 'node:util';
import { block, confirmAddress, newKey, quotas, revokeKeys, unblock } from './account-standing.ts';
import { account, accounts } from './accounts.ts';
import { adjust } from './adjust.ts';
import { advance } from './advance.ts';
import { type Command, UsageError } from './command.ts';
import { copyLog } from './copy-log.ts';
import { credit } from './credit.ts';
import { listKeys, revokeKey, rotateKey } from './keys.ts';
import { letters } from './letters.ts';
import { rebuild } from './rebuild.ts';
import { reconcile } from './reconcile.ts';
import { reissue } from './reissue.ts';
import { replay } from './replay.ts';
import { restored } from './restored.ts';
import { verify } from './verify.ts';

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

const parsed = (args: string[], options: Record<string, typeof text | typeof flag>) => {
  const negative = args.find((arg) => /^-\d/.test(arg));
  if (negative !== undefined) throw new UsageError(`${negative} is not an amount above zero`);
  try {
    const { positionals, values } = parseArgs({ args, options, allowPositionals: true });
    return { positionals, values: values as Record<string, string | undefined> };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
};

const rebuildCommand = (args: string[]): Command => {
  const { positionals, values } = parsed(args, { 'accept-log': flag });
  return rebuild(positionals, { acceptLog: values['accept-log'] !== undefined });
};

/** The command that the arguments name. @throws UsageError */
export const commandOf = ([name, ...args]: string[]): Command => {
  switch (name) {
    case 'credit': {
      const { positionals, values } = parsed(args, { reference: text, bucket: text });
      return credit(positionals, values);
    }
    case 'advance': {
      const options = { evidence: text, tracking: text, reason: text, 'not-printed': flag };
      const { positionals, values } = parsed(args, options);
      const { 'not-printed': notPrinted, ...rest } = values;
      return advance(positionals, { ...rest, notPrinted: notPrinted !== undefined });
    }
    case 'adjust': {
      const { positionals, values } = parsed(args, {
        ...{ credit: text, reason: text, 'below-zero': flag },
      });
      const { 'below-zero': belowZero, ...rest } = values;
      return adjust(positionals, { ...rest, 'below-zero': belowZero !== undefined });
    }
    case 'accounts': {
      const { positionals, values } = parsed(args, { blocked: flag, limit: text });
      return accounts(positionals, { limit: values.limit, blocked: values.blocked !== undefined });
    }
    case 'account':
      return account(parsed(args, {}).positionals);
    case 'new-key': {
      const { positionals, values } = parsed(args, { scope: text, label: text });
      return newKey(positionals, values);
    }
    case 'revoke-keys': {
      const { positionals, values } = parsed(args, { key: text, keep: text });
      return revokeKeys(positionals, values);
    }
    case 'confirm-email': {
      const { positionals, values } = parsed(args, { keep: text });
      return confirmAddress(positionals, values);
    }
    case 'block': {
      const { positionals, values } = parsed(args, { reason: text });
      return block(positionals, values);
    }
    case 'unblock':
      return unblock(parsed(args, {}).positionals);
    case 'quotas': {
      const { positionals, values } = parsed(args, {
        ...{ 'live-letters': text, 'test-letters': text, drafts: text, bytes: text },
      });
      return quotas(positionals, values);
    }
    case 'letters': {
      const options = { status: text, 'older-than': text, limit: text, stale: flag, test: flag };
      const { positionals, values } = parsed(args, options);
      const { stale, test, ...rest } = values;
      return letters(positionals, {
        ...rest,
        stale: stale !== undefined,
        test: test !== undefined,
      });
    }
    case 'keys':
      return listKeys(parsed(args, {}).positionals);
    case 'rotate-key':
      return rotateKey(parsed(args, {}).positionals);
    case 'revoke-key': {
      const options = { 'trusted-log-size': text, 'compromised-at': text };
      const { positionals, values } = parsed(args, options);
      return revokeKey(positionals, values);
    }
    case 'reissue-credentials':
      return reissue(parsed(args, {}).positionals);
    case 'rebuild':
      return rebuildCommand(args);
    case 'copy-log': {
      const { positionals, values } = parsed(args, { from: text, to: text, switch: flag });
      const { from, to } = values;
      return copyLog(positionals, { from, to, switches: values.switch !== undefined });
    }
    case 'replay': {
      const { positionals, values } = parsed(args, { 'as-of': text });
      return replay(positionals, values);
    }
    case 'reconcile': {
      const { positionals, values } = parsed(args, { 'from-block': text });
      return reconcile(positionals, values);
    }
    case 'restored':
      return restored(parsed(args, {}).positionals);
    case 'verify':
      return verify(parsed(args, {}).positionals);
    default:
      throw new UsageError(name === undefined ? 'name a command' : `there is no command ${name}`);
  }
};
