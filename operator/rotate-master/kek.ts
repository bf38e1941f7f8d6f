/** Changes the key-encryption key: seals the roots with a further one. Processes that run do not notice. */
import { readFile } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import { addKek } from '../../infra/keys/change-roots.ts';
import { hasNextMasterKey, nextMasterKey, replaceMasterKey } from '../../infra/keys/master-key.ts';
import { findProvider } from '../../infra/keys/providers/find-provider.ts';
import { createLocalProvider } from '../../infra/keys/providers/local.ts';
import type { KeyProvider } from '../../infra/keys/providers/provider.ts';
import { readConfig } from '../../service/config/config.ts';
import { fileNameOf } from '../../service/config/group.ts';
import { keys } from '../../service/config/groups/keys.ts';
import { exitCodes, Refused } from '../command.ts';
import { otherKeks, printSteps } from './plan.ts';
import type { Session } from './session.ts';

/** The key that the settings in a file name. @throws Refused, ConfigError */
const providerIn = async (file: string): Promise<KeyProvider> => {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Refused(`${file} cannot be read (${error.code})`);
  });
  const names = Object.keys(keys.settings).flatMap((name) => [name, fileNameOf(name)]);
  const rest = Object.entries(process.env).filter(([name]) => !names.includes(name));
  const provider = await findProvider(
    readConfig({ ...Object.fromEntries(rest), ...parseEnv(text) }),
  );
  if (!provider) throw new Refused(`${file} names no key: set MASTER_KEY or KEY_PROVIDER in it`);
  return provider;
};

const sealWith = async (session: Session, next: KeyProvider): Promise<void> => {
  const { roots } = await session.read();
  await addKek(session.client, next, roots);
};

const assertNoOther = (others: readonly string[], next: string | undefined): void => {
  if (others.every((kek) => kek === next)) return;
  throw new Refused('the last change of the key is not finished: run rotate-master retire first');
};

const moveTo = async (session: Session, file: string, apply: boolean): Promise<number> => {
  const { provider, print } = session;
  const next = await providerIn(file);
  if (next.kek === provider.kek) {
    throw new Refused(`${file} names ${next.name}, which is the key of this service already`);
  }
  assertNoOther(otherKeks(await session.read(), session), next.kek);
  const after = [
    `replace the present key settings by those of ${file}, and restart every process`,
    'rotate-master retire --apply, with the new settings',
  ];
  if (!apply) {
    printSteps(session, [`seal the roots with ${next.name} too`, ...after]);
    return exitCodes.done;
  }
  await sealWith(session, next);
  print(`OK: ${next.name} opens the roots, and so does ${provider.name}.`);
  for (const step of after) print(`Next: ${step}`);
  return exitCodes.done;
};

/** A new `master.key`. The one before opens the roots, too, until it is retired. */
const replaceFile = async (session: Session, apply: boolean): Promise<number> => {
  const { config, provider, print } = session;
  const { dataDir } = config;
  const others = otherKeks(await session.read(), session);
  const isStarted = await hasNextMasterKey(dataDir);
  if (others.length > 0 && !isStarted) {
    throw new Refused('the key was changed already: run rotate-master retire');
  }
  if (!apply) {
    printSteps(session, [
      `make a new key, and seal the roots with it too`,
      `put it into ${provider.name}; the one before stays in ${provider.name}.old`,
      'copy the file to the other machines of the service; processes that run go on',
      'rotate-master retire --apply',
    ]);
    return exitCodes.done;
  }
  const next = createLocalProvider(await nextMasterKey(dataDir));
  assertNoOther(others, next.kek);
  await sealWith(session, next);
  await replaceMasterKey(dataDir);
  print(`OK: ${provider.name} has a new key. The one before is in ${provider.name}.old.`);
  print('Next: copy the file to the other machines, then rotate-master retire --apply.');
  return exitCodes.done;
};

/** The same key of a key service, in its newest version. */
const sealAgain = async (session: Session, apply: boolean): Promise<number> => {
  const { provider, print } = session;
  assertNoOther(otherKeks(await session.read(), session), undefined);
  if (!apply) {
    printSteps(session, [`seal the roots again with the newest version of ${provider.name}`]);
    return exitCodes.done;
  }
  await sealWith(session, provider);
  print(`OK: the roots are sealed with the newest version of ${provider.name}.`);
  return exitCodes.done;
};

export const rotateKek = async (
  session: Session,
  file: string | undefined,
  apply: boolean,
): Promise<number> => {
  if (file !== undefined) return moveTo(session, file, apply);
  const { config, provider } = session;
  if (config.keys.provider === 'vault' || config.keys.provider === 'aws-kms') {
    return sealAgain(session, apply);
  }
  if (config.keys.provider === 'local' && config.masterKey === undefined) {
    return replaceFile(session, apply);
  }
  throw new Refused(
    `${provider.name} is set in the environment: write the new key settings into a file, and name it with --to`,
  );
};
