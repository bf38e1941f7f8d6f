import { randomUUID } from 'node:crypto';
import { creditFunds } from '../../commands/wallets/credits.ts';
import { walletAggregate } from '../../commands/wallets/wallet.ts';
import { createLogger } from '../../infra/log.ts';
import { credentialPortsOf } from '../../operator/verify/credential-ports.ts';
import { walkLog } from '../../operator/verify/walk.ts';
import { readConfig } from '../../service/config/config.ts';
import type { Foundation } from '../../service/foundation/wing.ts';
import { openFoundation } from '../../service/run/foundation.ts';

/** Store, keys and command handler of a service, next to the processes that run it. */
export const withFoundation = async <T>(
  place: { dataDir: string; databaseUrl: string },
  work: (foundation: Foundation) => Promise<T>,
): Promise<T> => {
  const config = readConfig({ DATA_DIR: place.dataDir, DATABASE_URL: place.databaseUrl });
  await using foundation = await openFoundation(config, createLogger({ level: 'silent' }));
  return await work(foundation);
};

/** Gives an account money, also a test account. */
export const creditWallet = async (
  { handler }: Pick<Foundation['commands'], 'handler'>,
  accountId: string,
  amountMicro: bigint,
): Promise<void> => {
  const creditId = randomUUID();
  const context = { commandId: creditId, actor: 'operator' };
  await handler.handle(walletAggregate, accountId, context, (wallet) =>
    creditFunds(wallet, {
      type: 'CreditFunds',
      receipt: { method: 'operator', id: creditId },
      bucket: 'fiat',
      amountMicro,
    }),
  );
};

/** The findings of `npm run operator -- verify`, the first position first. */
export const verifyLog = async (foundation: Foundation) => {
  const { store, readDb: db } = foundation.storage;
  const { dataKeys } = foundation.keys;
  const issued = credentialPortsOf(foundation);
  const { findings } = await walkLog({ store, dataKeys, db, issued });
  return findings.list();
};
