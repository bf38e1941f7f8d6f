/**
 * A process that sends a letter as the write API does and kills itself on the way. Arguments: account,
 * key, Idempotency-Key, and when: `between` money and letter where they are two steps; `before`, `in` or
 * `after` the one commit of both.
 */
import { type CommandHandler, createCommandHandler } from '../../commands/handling/handle.ts';
import { letterAggregate } from '../../commands/letters/letter.ts';
import { createSendLetter } from '../../commands/letters/send-letter.ts';
import type { Caller, OperationRequest } from '../../contract/operation.ts';
import { letterFont } from '../../documents/render/fonts.ts';
import { commandOf, sendContextOf } from '../../write-api/context.ts';
import { contentOf, inputOf } from '../../write-api/letters/input.ts';
import type { SendBody } from '../../write-api/letters/schemas.ts';
import { withAppendAll } from './faulty-store.ts';
import { withFoundation } from './foundation.ts';
import { letterBody } from './letter-client.ts';

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
  const { handler, dataKeys, clock, indexOf, config } = foundation;
  const store = withAppendAll(foundation.store, async (appendAll, ...call) => {
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
    handler: dying,
    dataKeys,
    clock,
    metrics,
    ...foundation.documentTools,
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
