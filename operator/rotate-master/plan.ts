/** The state of a rotation and its remaining steps, in lines. */
import { countWraps, type WrapCount } from '../../infra/keys/rewrap.ts';
import { count } from '../command.ts';
import type { RotationState, Session } from './session.ts';

/** The key-encryption keys that seal roots, except for the one of the settings. */
export const otherKeks = ({ stored }: RotationState, { provider }: Session): string[] => [
  ...new Set(stored.seals.map(({ kek }) => kek).filter((kek) => kek !== provider.kek)),
];

const noWraps = { dataKeys: 0, signingKeys: 0 };

const wrapsOf = (wraps: readonly WrapCount[], n: number) =>
  wraps.find(({ root }) => root === n) ?? noWraps;

const wrapsLine = ({ dataKeys, signingKeys }: typeof noWraps): string =>
  `${count(dataKeys)} data keys, ${count(signingKeys)} signing keys`;

/** How many keys are wrapped by a root that is not the active one. */
export const staleWraps = async ({ client }: Session, { roots }: RotationState) => {
  const active = roots.list.find(({ state }) => state === 'active')?.n;
  const stale = (await countWraps(client)).filter(({ root }) => root !== active);
  return {
    dataKeys: stale.reduce((sum, { dataKeys }) => sum + dataKeys, 0),
    signingKeys: stale.reduce((sum, { signingKeys }) => sum + signingKeys, 0),
  };
};

/** The next command, in one sentence. */
const nextStep = (state: RotationState, others: string[], stale: typeof noWraps): string => {
  const { list } = state.roots;
  if (others.length > 0) {
    return 'The key was changed. When all processes were restarted with it: rotate-master retire --apply, with its settings.';
  }
  if (list.some((root) => root.state === 'added') || stale.dataKeys + stale.signingKeys > 0) {
    return 'A rotation of the root is not finished: rotate-master root --apply goes on with it.';
  }
  if (list.some((root) => root.state === 'old')) {
    return 'Nothing is wrapped by the old root any longer: rotate-master retire --apply destroys it.';
  }
  return 'No rotation is under way.';
};

export const printState = async (session: Session): Promise<void> => {
  const { client, provider, print } = session;
  const state = await session.read();
  const wraps = await countWraps(client);
  print(`key: ${provider.name} (${provider.kek})`);
  const others = otherKeks(state, session);
  if (others.length > 0) print(`also sealed with: ${others.join(', ')}`);
  for (const { n, state: rootState } of state.roots.list) {
    print(`root ${n}: ${rootState}, ${wrapsLine(wrapsOf(wraps, n))}`);
  }
  print(nextStep(state, others, await staleWraps(session, state)));
};

export const printSteps = ({ print }: Session, steps: readonly string[]): void => {
  print('Plan:');
  for (const [index, step] of steps.entries()) print(`  ${index + 1}. ${step}`);
  print('Nothing was changed. Repeat the command with --apply to do it.');
};

export { wrapsLine };
