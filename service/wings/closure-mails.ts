/** Ports of the mails about the end of an account. */
import { createClosureCodes } from '../../commands/accounts/closure-codes.ts';
import type { Db } from '../../ground/db.ts';
import type { CredentialLog } from '../../identity/credential-log.ts';
import { erasedEventOf } from '../../projections/accounts/query.ts';
import type { DerivedKeys } from '../foundation/keys.ts';

export const closureCodesOf = ({ keys }: { keys: Pick<DerivedKeys, 'derive'> }) =>
  createClosureCodes(keys.derive('closure-codes'));

type Storage = { readDb: Db; credentials: Pick<CredentialLog, 'byEventIds'> };

/** The certificate of an account's erasure; undefined until it is issued. */
export const certificateOf =
  ({ storage: { readDb, credentials } }: { storage: Storage }) =>
  async (accountId: string): Promise<string | undefined> => {
    const eventId = await erasedEventOf(readDb, accountId);
    if (eventId === undefined) return undefined;
    const [credential] = await credentials.byEventIds([eventId]);
    return credential?.jwt;
  };
