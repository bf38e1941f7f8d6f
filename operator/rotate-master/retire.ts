/** Ends a rotation: forgets the key before, and destroys the root before. */
import { numberOf } from '../../ground/plural.ts';
import { RootInUse, removeOtherKeks, retireRoot } from '../../infra/keys/change-roots.ts';
import { removePreviousMasterKey } from '../../infra/keys/master-key.ts';
import { laterKeks } from '../../infra/keys/root-table.ts';
import { exitCodes, Refused } from '../command.ts';
import { otherKeks, printSteps, staleWraps } from './plan.ts';
import type { Session } from './session.ts';

/** Processes may run with that key alone, and its settings may be the only ones that are left. @throws Refused */
const assertNewest = async ({ client, provider }: Session): Promise<void> => {
  const later = await laterKeks(client, provider);
  if (later.length === 0) return;
  throw new Refused(
    `${provider.name} is the earlier key: the key was changed to another one later (${later.join(', ')}). Run retire with the settings of that key, or with --go-back to keep the earlier one; nothing was changed`,
  );
};

type Wanted = {
  apply: boolean;
  /** Keeps the key of the settings, although another one sealed the roots later. */
  goBack: boolean;
};

export const retire = async (session: Session, { apply, goBack }: Wanted): Promise<number> => {
  const { client, config, provider, print } = session;
  if (!goBack) await assertNewest(session);
  const state = await session.read();
  const { list } = state.roots;
  const stale = await staleWraps(session, state);
  const isOpen = list.some((root) => root.state === 'added');
  if (isOpen || stale.dataKeys + stale.signingKeys > 0) {
    throw new Refused(
      'keys are still wrapped by the old root: rotate-master root --apply wraps them again',
    );
  }
  const old = list.filter((root) => root.state === 'old');
  const others = otherKeks(state, session);
  if (!apply) {
    printSteps(session, [
      ...others.map((kek) => `forget what ${kek} sealed; ${provider.name} opens every root`),
      ...old.map(({ n }) => `destroy root ${n}, except for the keys that find what is in the log`),
    ]);
    return exitCodes.done;
  }
  await removeOtherKeks(client, provider);
  if (config.keys.provider === 'local') await removePreviousMasterKey(config.dataDir);
  for (const root of old) {
    await retireRoot(client, provider, root).catch((error: unknown) => {
      if (!(error instanceof RootInUse)) throw error;
      throw new Refused(`${error.message} ${root.n}: run rotate-master root --apply again`);
    });
  }
  print(`OK: retired ${numberOf(others.length, 'key')} and ${numberOf(old.length, 'root')}.`);
  return exitCodes.done;
};
