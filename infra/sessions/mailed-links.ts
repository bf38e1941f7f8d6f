/** Links in mails that sign in the holder of an account's confirmed address, once. */
import { accountAggregate } from '../../commands/accounts/account.ts';
import { isAddressConfirmed } from '../../commands/accounts/confirmation.ts';
import { linkGeneration, type RecoveryTokens } from '../../commands/accounts/recovery.ts';
import type { SignInKey } from '../../commands/accounts/sign-in-keys.ts';
import type { CommandHandler } from '../../commands/handling/handle.ts';
import { isAppError } from '../../contract/errors.ts';
import type { Clock } from '../../ground/clock.ts';
import type { Db } from '../../ground/db.ts';
import { digestOfToken, type SourceColumns } from './session-source.ts';

type Ports = {
  db: Db;
  clock: Clock;
  handler: Pick<CommandHandler, 'load'>;
  tokens: RecoveryTokens;
  /** Undefined if links of this generation have ended. */
  keyOfAddress: (accountId: string, generation: number) => Promise<SignInKey | undefined>;
};

/** The account that a token is for, while its address is confirmed and the same. */
const accountIn = async ({ tokens, clock, handler }: Ports, token: string) => {
  let grant: ReturnType<RecoveryTokens['read']>;
  try {
    grant = tokens.read(token);
  } catch (error) {
    if (isAppError(error)) return undefined;
    throw error;
  }
  const { accountId, recoveries, expiresAtMs } = grant;
  if (expiresAtMs <= clock()) return undefined;
  const { state } = await handler.load(accountAggregate, accountId);
  const isOpen = state.status === 'open' && isAddressConfirmed(state, 'registered');
  return isOpen && linkGeneration(state) === recoveries ? grant : undefined;
};

const isSpent = async (db: Db, token: string): Promise<boolean> => {
  const { rows } = await db.query('select from console.links where token_hash = $1', [
    digestOfToken(token),
  ]);
  return rows.length > 0;
};

export const createMailedLinks = (ports: Ports) => ({
  /** The credential that an unused link gives; undefined for every reason why it gives none. */
  async find(token: string): Promise<SourceColumns | undefined> {
    const grant = await accountIn(ports, token);
    if (!grant || (await isSpent(ports.db, token))) return undefined;
    const key = await ports.keyOfAddress(grant.accountId, grant.recoveries);
    return key && { key_hash: key.secretHash, ucan_sealed: null, read_only: false };
  },

  /** Uses up a link that was found. False if that has happened before. */
  async spend(token: string): Promise<boolean> {
    const { accountId, expiresAtMs } = ports.tokens.read(token);
    const now = new Date(ports.clock());
    const { rowCount } = await ports.db.query(
      `insert into console.links
         (token_hash, account_id, key_id, read_only, request_hash, created_at, expires_at, used_at)
       values ($1, $2, 'e-mail', false, '', $3, $4, $3) on conflict do nothing`,
      [digestOfToken(token), accountId, now, new Date(expiresAtMs)],
    );
    return rowCount === 1;
  },
});
