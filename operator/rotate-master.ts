/** Rotates the root of all keys, or the key over it. Changes nothing without --apply. */
import type { Log } from '../ground/log.ts';
import type { Config } from '../service/config/config.ts';
import { apartCommand, type Command, exitCodes, type Print, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';
import { rotateKek } from './rotate-master/kek.ts';
import { printState } from './rotate-master/plan.ts';
import { retire } from './rotate-master/retire.ts';
import { rotateRoot } from './rotate-master/root.ts';
import { type Session, withSession } from './rotate-master/session.ts';

const actions = ['root', 'kek', 'retire'] as const;

type Wanted = {
  action: (typeof actions)[number] | undefined;
  to: string | undefined;
  apply: boolean;
  goBack: boolean;
};

const act = async (session: Session, { action, to, apply, goBack }: Wanted): Promise<number> => {
  switch (action) {
    case 'root':
      return rotateRoot(session, apply);
    case 'kek':
      return rotateKek(session, to, apply);
    case 'retire':
      return retire(session, { apply, goBack });
    case undefined:
      await printState(session);
      return exitCodes.done;
  }
};

const work = (config: Config, log: Log, wanted: Wanted, print: Print): Promise<number> =>
  withSession(config, log, print, (session) => act(session, wanted));

type Options = { to?: string; apply?: boolean; 'go-back'?: boolean };

/** @throws UsageError */
const rotateMaster = ([name, ...rest]: string[], options: Options): Command => {
  const { to, apply = false, 'go-back': goBack = false } = options;
  const action = actions.find((one) => one === name);
  if (rest.length > 0 || (name !== undefined && !action)) {
    throw new UsageError(`rotate-master takes one of ${actions.join(', ')}, or nothing`);
  }
  if (to !== undefined && action !== 'kek') throw new UsageError('--to belongs to kek');
  if (goBack && action !== 'retire') throw new UsageError('--go-back belongs to retire');
  if (apply && !action) throw new UsageError('--apply needs root, kek or retire');
  const wanted: Wanted = { action, to, apply, goBack };
  return apartCommand((config, log, print) => work(config, log, wanted, print));
};

export const rotateMasterCommand = defineCommand({
  name: 'rotate-master',
  usage: '[root | kek [--to FILE] | retire [--go-back]] [--apply]',
  summary: 'Rotates the root of all keys, or the key over it. Plans only, unless --apply is given.',
  help: `Without a word it says what there is and what is left to do. The service goes on meanwhile; after a kill, repeat the command.
root: after a leak. Adds a root, waits until every process knows it, wraps every data key again, and verifies.
kek: once a year. Seals the roots with a new key, or with the newest version of the key in Vault or KMS.
--to: a file with the key settings to change to (KEY_PROVIDER, MASTER_KEY, VAULT_…, KMS_…, AGE_IDENTITY).
retire: afterwards. Forgets the earlier key and destroys the earlier root. Refuses while something is wrapped by it, and with the settings of the earlier key.
--go-back: with retire, keeps the key of the settings and forgets the later one instead.`,
  examples: ['rotate-master', 'rotate-master kek --to /etc/letters-new.env --apply'],
  options: { to: 'text', apply: 'flag', 'go-back': 'flag' },
  read: rotateMaster,
});
