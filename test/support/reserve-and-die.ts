/**
 * A process that sends a letter as the write API does and kills itself when it comes to the letter's
 * stream, with the money reserved. Arguments: account, key, Idempotency-Key.
 */

import type { CommandHandler } from '../../commands/handling/handle.ts';
import { letterAggregate } from '../../commands/letters/letter.ts';
import { createSendLetter } from '../../commands/letters/send-letter.ts';
import type { Caller, OperationRequest } from '../../contract/operation.ts';
import { letterFont } from '../../documents/render/fonts.ts';
import { createDocumentTools } from '../../service/documents.ts';
import { commandOf, sendContextOf } from '../../write-api/context.ts';
import { contentOf, inputOf } from '../../write-api/letters/input.ts';
import type { SendBody } from '../../write-api/letters/schemas.ts';
import { withFoundation } from './foundation.ts';
import { letterBody } from './letter-client.ts';

const [accountId = '', keyId = '', idempotencyKey = ''] = process.argv.slice(2);
const { DATA_DIR: dataDir = '', DATABASE_URL: databaseUrl = '' } = process.env;

await withFoundation({ dataDir, databaseUrl }, async (foundation) => {
  const { clock, config, log } = foundation;
  const { handler, files } = foundation.commands;
  const { dataKeys, indexOf } = foundation.keys;
  const dying: CommandHandler = {
    ...handler,
    handle(aggregate, ...rest) {
      if ((aggregate as unknown) === letterAggregate) process.kill(process.pid, 'SIGKILL');
      return handler.handle(aggregate, ...rest);
    },
  };
  const { metrics } = letterFont();
  const letters = createSendLetter({
    handler: dying,
    dataKeys,
    clock,
    metrics,
    files,
    documents: createDocumentTools(config, log, files).documents,
    limits: config.limits,
    cancellationWindowMs: 1_000,
    indexOf,
  });
  const caller: Caller = { accountId, keyId, scope: 'full', test: true };
  const body = letterBody('Half.') as SendBody;
  const request = {
    body,
    caller,
    idempotencyKey,
    params: undefined,
  } as unknown as OperationRequest & {
    caller: Caller;
  };
  const asked = { name: 'send_letter', request };
  const context = sendContextOf(
    { indexOf } as Parameters<typeof sendContextOf>[0],
    commandOf(asked),
    asked,
  );
  await letters.send(
    inputOf(body, contentOf(body)),
    { draft: false, holdWithoutFunds: false },
    context,
  );
});
