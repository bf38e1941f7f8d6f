/**
 * The DID that acts for an account: one whose key the service keeps, made on first use, or one of the
 * caller's own, once its control is proved. The caller's own DID replaces the kept one; statements under the
 * earlier DID stay as they were.
 */
import { AppError } from '../../contract/errors.ts';
import { accountNotFound } from '../../contract/refusals.ts';
import type { AccountEvent } from '../../events/account.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import { fromBase64Url, toBase64Url } from '../../identity/encoding.ts';
import { ed25519FromSeed, type SigningKey } from '../../identity/keys.ts';
import type { CommandContext } from '../handling/fold.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { type Account, accountAggregate, type CallerDid } from './account.ts';

export type KeepDid = { type: 'KeepDid'; did: string; seed: string };

/** Gives the account a DID whose key the service keeps, if it has none. @throws AppError account_not_found */
export const keepDid = (state: Account, { did, seed }: KeepDid): AccountEvent[] => {
  if (state.status !== 'open') throw accountNotFound();
  if (state.did) return [];
  const { accountId } = state;
  return [{ type: 'DidCreated', data: { accountId, did, custody: 'service' }, personal: { seed } }];
};

export type AdoptDid = {
  type: 'AdoptDid';
  did: string;
  /** `since` of the DID that the account had when the proof was made; undefined for none. */
  replaces: string | undefined;
};

/**
 * Replaces the account's DID by one whose control was proved.
 * @throws AppError account_not_found, did_challenge_invalid when another one came meanwhile
 */
export const adoptDid = (state: Account, { did, replaces }: AdoptDid): AccountEvent[] => {
  if (state.status !== 'open') throw accountNotFound();
  if (state.did?.did === did && state.did.custody === 'self') return [];
  if (state.did?.since !== replaces) {
    throw new AppError(
      'did_challenge_invalid',
      'The DID of the account changed after the challenge was made. Ask for a new challenge.',
    );
  }
  return [{ type: 'DidCreated', data: { accountId: state.accountId, did, custody: 'self' } }];
};

/** The DID of an account. `key` signs for it where the service keeps it. */
export type CallerIdentity = {
  did: string;
  custody: CallerDid['custody'];
  key: SigningKey | undefined;
};

const identityOf = ({ did, custody, seed }: CallerDid): CallerIdentity => ({
  did,
  custody,
  key: seed === undefined ? undefined : ed25519FromSeed(fromBase64Url(seed)),
});

export type CallerDids = ReturnType<typeof createCallerDids>;

export const createCallerDids = (ports: {
  handler: CommandHandler;
  /** 32 random bytes. */
  newSeed: () => Buffer;
}) => {
  const { handler, newSeed } = ports;

  const change = async (
    accountId: string,
    context: CommandContext,
    decide: (state: Account) => AccountEvent[],
  ): Promise<CallerIdentity & { created: boolean; position: bigint }> => {
    // An id of its own: the same command may change the account otherwise, too.
    const own = { ...context, commandId: uuidv5(context.commandId, 'did') };
    const { state, events, position } = await handler.handle(
      accountAggregate,
      accountId,
      own,
      decide,
    );
    if (!state.did) throw accountNotFound();
    return { ...identityOf(state.did), created: events.length > 0, position };
  };

  return {
    /** The DID there is, or a new one that the service keeps. @throws AppError account_not_found */
    ensure(accountId: string, context: CommandContext) {
      const seed = newSeed();
      const { did } = ed25519FromSeed(seed);
      return change(accountId, context, (state) =>
        keepDid(state, { type: 'KeepDid', did, seed: toBase64Url(seed) }),
      );
    },

    /** @throws AppError account_not_found, did_challenge_invalid */
    adopt(
      accountId: string,
      adopted: { did: string; replaces: string | undefined },
      context: CommandContext,
    ) {
      return change(accountId, context, (state) =>
        adoptDid(state, { type: 'AdoptDid', ...adopted }),
      );
    },

    /** The DID there is, and since when. */
    async current(accountId: string): Promise<(CallerIdentity & { since: string }) | undefined> {
      const { state } = await handler.load(accountAggregate, accountId);
      return state.did && { ...identityOf(state.did), since: state.did.since };
    },
  };
};
