/** Ends sessions of the operator's console. */
import { endOperatorSessions } from '../infra/sessions/operator-store.ts';
import { type CommandWork, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';

const operatorPattern = /^(?:link|opr_[\w-]{22})$/;

/** @throws UsageError */
const endConsoleSessions = ([operator, ...rest]: string[]): CommandWork => {
  if (rest.length > 0) throw new UsageError('end-console-sessions takes at most one OPERATOR');
  if (operator !== undefined && !operatorPattern.test(operator)) {
    throw new UsageError(`${operator} is not an operator: opr_… or link`);
  }
  return async ({ storage }, print) => {
    const count = await endOperatorSessions(storage.readDb, operator);
    print(`${count} ${count === 1 ? 'session has' : 'sessions have'} ended.`);
  };
};

export const endConsoleSessionsCommand = defineCommand({
  name: 'end-console-sessions',
  usage: '[OPERATOR]',
  summary: "Ends the sessions of the operator's console, of everybody or of one operator.",
  help: 'OPERATOR is the id that the console shows at the button "Sign out" and that events of looks name (opr_…), or `link` for all sessions that began with a link. Without OPERATOR unused links end too.\nA person who may still sign in with the identity provider can do so again: change OPERATOR_OIDC_EMAILS, OPERATOR_OIDC_CLAIM or the account at the provider first.',
  read: endConsoleSessions,
});
