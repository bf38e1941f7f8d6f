import { keyIdsOf } from '../../commands/guards/credential-line.ts';
import type { CommandHandler } from '../../commands/handling/handle.ts';
import { createLetterPermission } from '../../commands/letters/letter-permission.ts';
import type { SendContext } from '../../commands/letters/pay-letter.ts';
import type { Caller, RequestCommand } from '../../contract/operation.ts';
import { callerRefOf } from '../../limits/turn.ts';

/** The caller that sends or changes a letter, and the caveats of its UCAN. */
export const sendContextOf = (
  ports: { handler: CommandHandler },
  caller: Caller,
  command: RequestCommand,
  address: string,
): SendContext => ({
  ...command,
  accountId: caller.accountId,
  by: callerRefOf(caller, address),
  test: caller.test,
  keyIds: keyIdsOf(caller),
  permission: createLetterPermission(ports, caller),
});
