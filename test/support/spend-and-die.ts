/**
 * A process that reserves and releases on one wallet as fast as it can: its arguments are the account, a name
 * for this run, and the type of the event after whose append it kills itself. Acknowledged commands are
 * written to `acknowledged` in DATA_DIR.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCommandHandler } from '../../commands/handling/handle.ts';
import { reserveFunds } from '../../commands/wallets/reserve-funds.ts';
import { settleReservation } from '../../commands/wallets/settle-reservation.ts';
import { openWallet, walletAggregate } from '../../commands/wallets/wallet.ts';
import { letterPurpose } from '../../events/wallet.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import { withAppend } from './faulty-store.ts';
import { creditWallet, withFoundation } from './foundation.ts';

const [accountId = '', run = '', dieAfter = ''] = process.argv.slice(2);
const { DATA_DIR: dataDir = '', DATABASE_URL: databaseUrl = '' } = process.env;
const namespace = '8f4c2a10-0000-4000-8000-7370656e6400';
const commands = run === 'c' ? 200 : 5_200;
const atOnce = 100;

await withFoundation({ dataDir, databaseUrl }, async ({ storage, keys, clock }) => {
  const { store } = storage;
  const { dataKeys } = keys;
  const deadly = withAppend(store, async (append, stream, expected, events) => {
    const result = await append(stream, expected, events);
    if (events.some(({ type }) => type === dieAfter)) process.kill(process.pid, 'SIGKILL');
    return result;
  });
  const handler = createCommandHandler({ store: deadly, dataKeys, clock });
  const context = (name: string) => ({ commandId: uuidv5(namespace, name), actor: 'operator' });
  await handler.handle(walletAggregate, accountId, context(`open ${accountId}`), (wallet) =>
    openWallet(wallet, { type: 'OpenWallet', accountId, test: true }),
  );
  await creditWallet({ handler }, accountId, 1_000_000_000n);

  const spendOne = async (n: number): Promise<string> => {
    const attemptId = uuidv5(namespace, `${run} ${n}`);
    const purpose = letterPurpose(attemptId);
    const subtotalMicro = 1_000_000n;
    const reserve = { type: 'ReserveFunds' as const, purpose, attemptId, subtotalMicro };
    await handler.handle(walletAggregate, accountId, context(`reserve ${attemptId}`), (wallet) =>
      reserveFunds(wallet, reserve),
    );
    const settle = {
      type: 'SettleReservation' as const,
      purpose,
      target: { state: 'over' as const },
    };
    await handler.handle(walletAggregate, accountId, context(`settle ${attemptId}`), (wallet) =>
      settleReservation(wallet, settle),
    );
    return attemptId;
  };

  for (let first = 0; first < commands; first += atOnce) {
    const batch = Array.from({ length: atOnce }, (_, n) => spendOne(first + n));
    const told = await Promise.all(batch);
    appendFileSync(join(dataDir, 'acknowledged'), `${told.join('\n')}\n`);
  }
});
