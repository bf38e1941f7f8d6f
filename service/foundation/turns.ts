/** Facts about callers that decide whose turn comes first, read from the read models. */
import { createBoundedMap } from '../../ground/bounded-map.ts';
import type { Db } from '../../ground/db.ts';
import { standingOf } from '../../infra/quotas/registrations.ts';
import type { CallerRef, Standing, Turn } from '../../limits/turn.ts';

const rememberedAccounts = 10_000;
const rememberedMs = 5_000;

type Known = { standing: Standing; registeredFrom?: string | undefined };

/** @param digest keyed: the stored form of an address */
export const createTurnOf = ({
  db,
  digest,
  now = () => performance.now(),
}: {
  db: Db;
  digest: (address: string) => string;
  /** Monotonic, ms. */
  now?: () => number;
}) => {
  const remembered = createBoundedMap<string, { known: Promise<Known>; at: number }>(
    rememberedAccounts,
  );

  const lookUp = async (accountId: string): Promise<Known> => {
    const { live, confirmed, funded, registeredFrom } = await standingOf(db, accountId);
    if (live && funded) return { standing: 'funded' };
    if (live && confirmed) return { standing: 'confirmed' };
    return { standing: 'free', registeredFrom };
  };

  const knownOf = (accountId: string): Promise<Known> => {
    const before = remembered.get(accountId);
    if (before && now() - before.at < rememberedMs) return before.known;
    const known = lookUp(accountId);
    remembered.set(accountId, { known, at: now() });
    known.catch(() => remembered.delete(accountId));
    return known;
  };

  return async ({ account, address: from }: CallerRef): Promise<Turn> => {
    const address = from ? digest(from) : undefined;
    if (account === undefined) return { standing: 'free', address };
    return { ...(await knownOf(account)), account, address };
  };
};
