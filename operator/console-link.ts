/** A link by which somebody signs in to the operator's console. */
import { linkMs, makeOperatorLink } from '../infra/sessions/operator-sessions.ts';
import { createOperatorStore } from '../infra/sessions/operator-store.ts';
import { type CommandWork, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';

/** @throws UsageError */
const consoleLink = (
  positionals: string[],
  { auditor = false }: { auditor?: boolean },
): CommandWork => {
  if (positionals.length > 0) throw new UsageError('console-link takes no arguments');
  return async ({ config, storage, clock }, print) => {
    const rights = auditor ? 'auditor' : 'operator';
    const code = await makeOperatorLink(createOperatorStore(storage.readDb), rights, clock());
    const baseUrl = config.baseUrl ?? `http://localhost:${config.port}`;
    print(`${baseUrl}/console/operator/sign-in#token=${code}`);
    print(`Open the link within ${linkMs / 60_000} minutes. It signs in one ${rights}, once.`);
  };
};

export const consoleLinkCommand = defineCommand({
  name: 'console-link',
  usage: '[--auditor]',
  summary: "Makes a link that signs one person in to the operator's console, once, for 15 minutes.",
  help: 'Everyone who has the link can use it, so hand it on only to the person who is meant. A browser without scripts asks for the link: paste it.\n--auditor: the session sees histories of letters and their credentials, and changes nothing.',
  options: { auditor: 'flag' },
  read: consoleLink,
});
