import type { IssuedKey } from '../commands/accounts/register-account.ts';
import { freshness, type WriteContext } from './context.ts';

const advice = (key: IssuedKey): string =>
  key.test
    ? 'Keep api_key safe, it is not shown again. The wallet has $100.00 of test money; nothing will be printed.'
    : 'Keep api_key safe, it is not shown again. Top up the wallet, then send a letter.';

/** A full or first key, shown once. */
export const presentRegistered = (key: IssuedKey, message = advice(key)) => ({
  api_key: key.secret,
  key_id: key.keyId,
  prefix: key.prefix,
  scope: key.scope,
  account_id: key.accountId,
  mode: key.test ? ('test' as const) : ('live' as const),
  message,
  test: key.test,
});

/** 201 with what shows the key, once the named read models know it or the wait is too long. */
export const keyAnswer = async <T>(
  context: Pick<WriteContext, 'waitFor'>,
  { position, replayed }: IssuedKey,
  readModels: string[],
  body: T,
) => ({
  status: 201,
  body,
  headers: freshness(await context.waitFor(readModels, position)),
  position,
  replayed,
});
