/**
 * A process that sends a letter as the write API does and kills itself on the way. Arguments: account,
 * key, Idempotency-Key, and when: `between` money and letter where they are two steps; `before`, `in` or
 * `after` the one commit of both.
 */

import { type CommandHandler, createCommandHandler } from '../../commands/handling/handle.ts';
import { letterAggregate } from '../../commands/letters/letter.ts';
import { createSendLetter } from '../../commands/letters/send-letter.ts';
import type { Caller } from '../../contract/operation.ts';
import { letterFont } from '../../documents/render/fonts.ts';
import { commandMaker } from '../../http/command-of.ts';
import { defaultLimits } from '../../limits/table.ts';
import { usualPrices } from '../../postal/pricing.ts';
import { createDocumentTools } from '../../service/foundation/documents.ts';
import { contentOf, inputOf } from '../../write-api/letters/input.ts';
import type { SendBody } from '../../write-api/letters/schemas.ts';
import { sendContextOf } from '../../write-api/letters/send-context.ts';
import { withAppendAll } from './faulty-store.ts';
import { withFoundation } from './foundation.ts';
import { letterBody } from './letter-client.ts';
import { someWorkers } from './workers.ts';

const [accountId = '', keyId = '', idempotencyKey = '', when = ''] = process.argv.slice(2);
const { DATA_DIR: dataDir = '', DATABASE_URL: databaseUrl = '' } = process.env;

const die = (): void => {
  process.kill(process.pid, 'SIGKILL');
};

const betweenSteps = (handler: CommandHandler): CommandHandler => ({
  ...handler,
  beginsStreams: false,
  handle(aggregate, ...rest) {
    if ((aggregate as unknown) === letterAggregate) die();
    return handler.handle(aggregate, ...rest);
  },
});

await withFoundation({ dataDir, databaseUrl }, async (foundation) => {
  const { clock, config, log } = foundation;
  const { handler, files } = foundation.commands;
  const { dataKeys, indexOf } = foundation.keys;
  const store = withAppendAll(foundation.storage.store, async (appendAll, ...call) => {
    if (when === 'before') die();
    const answer = appendAll(...call);
    // The statement is sent within this turn or the next; nobody waits for its answer.
    if (when === 'in') setImmediate(() => setImmediate(die));
    const results = await answer;
    die();
    return results;
  });
  const dying =
    when === 'between' ? betweenSteps(handler) : createCommandHandler({ store, dataKeys, clock });
  const { metrics } = letterFont();
  const letters = createSendLetter({
    isKnownRecipient: async () => false,
    handler: dying,
    dataKeys,
    clock,
    metrics,
    logos: { read: async () => Buffer.alloc(0) },
    files,
    documents: createDocumentTools(config, log, files, someWorkers()).documents,
    prices: () => usualPrices,
    limits: config.limits,
    discountOf: async () => undefined,
    cancellationWindowMs: 1_000,
    indexOf,
  });
  const caller: Caller = { accountId, keyId, scope: 'full', test: true };
  const body = letterBody('Half.') as SendBody;
  const commandOf = commandMaker({ name: 'send_letter' }, (text) => indexOf('request', text));
  const asked = { body, caller, idempotencyKey, params: undefined, address: '' };
  const context = sendContextOf({ handler }, caller, commandOf(asked), '');
  await letters.send(
    inputOf(body, contentOf(body, defaultLimits)),
    { draft: false, holdWithoutFunds: false },
    context,
  );
});
