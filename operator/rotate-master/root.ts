/** Rotates the root: adds one, lets every process know it, uses it, and wraps every key again. */
import { activateRoot, addRoot } from '../../infra/keys/change-roots.ts';
import { createKeyring } from '../../infra/keys/keyring.ts';
import { rewrapAll, verifyWraps } from '../../infra/keys/rewrap.ts';
import { count, exitCodes, type Print, Refused } from '../command.ts';
import { otherKeks, printSteps, staleWraps, wrapsLine } from './plan.ts';
import type { RotationState, Session } from './session.ts';

const shown = 20;

const printWrong = (print: Print, wrong: readonly string[]): void => {
  for (const one of wrong.slice(0, shown)) print(`WRONG: the ${one} does not open`);
  if (wrong.length > shown) print(`  and ${count(wrong.length - shown)} more`);
};

/** A further pass finds keys of processes that had not heard of the new root yet. */
const rewrapUntilDone = async (session: Session): Promise<string[]> => {
  const { client, print } = session;
  const { roots } = await session.read();
  const keyring = createKeyring(roots);
  let total = 0;
  for (;;) {
    const { count: wrapped, wrong } = await rewrapAll(client, keyring);
    total += wrapped;
    if (wrapped > 0) continue;
    print(`wrapped again: ${count(total)} keys`);
    return wrong;
  }
};

const plan = async (session: Session, state: RotationState): Promise<number> => {
  const { list } = state.roots;
  const added = list.find((root) => root.state === 'added');
  const isNew = !added && !list.some((root) => root.state === 'old');
  const next = added?.n ?? Math.max(...list.map(({ n }) => n)) + (isNew ? 1 : 0);
  printSteps(session, [
    ...(isNew ? [`add root ${next}, sealed with ${session.provider.name}`] : []),
    ...(isNew || added
      ? [`wait until every process knows root ${next}`, `wrap new data keys by root ${next}`]
      : []),
    `wrap again: ${wrapsLine(isNew || added ? await allWraps(session) : await staleWraps(session, state))}`,
    'open every data key and signing key to verify',
  ]);
  return exitCodes.done;
};

const allWraps = async (session: Session) => {
  const state = await session.read();
  const none = { ...state, roots: { ...state.roots, list: [] } };
  return staleWraps(session, none);
};

export const rotateRoot = async (session: Session, apply: boolean): Promise<number> => {
  const { client, provider, print } = session;
  const state = await session.read();
  if (otherKeks(state, session).length > 0) {
    throw new Refused(
      'the change of the key-encryption key is not finished: run rotate-master retire first',
    );
  }
  if (!apply) return plan(session, state);
  const { list } = state.roots;
  if (!list.some((root) => root.state === 'added' || root.state === 'old')) {
    await addRoot(client, provider, state.roots);
  }
  await session.untilKnown();
  const added = (await session.read()).roots.list.find((root) => root.state === 'added');
  if (added) {
    await activateRoot(client, added);
    print(`root ${added.n} is active`);
  }
  await session.untilKnown();
  const wrong = await rewrapUntilDone(session);
  const verified = await verifyWraps(client, createKeyring((await session.read()).roots));
  printWrong(print, [...new Set([...wrong, ...verified.wrong])]);
  if (wrong.length + verified.wrong.length > 0) return exitCodes.refused;
  print(`OK: ${count(verified.count)} keys open under the root that they name.`);
  print('Next: npm run operator -- backup, then rotate-master retire --apply (docs/keys.md).');
  return exitCodes.done;
};
