import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { PostgresBinaries } from './binaries.ts';

/**
 * How PostgreSQL is started. It refuses to run as root, so for root there is another user and,
 * where that user cannot reach the folders, a prefix command that lends it one capability.
 */
export type RunAs = { user?: { uid: number; gid: number }; prefix: string[] };

type User = { uid: number; gid: number };

const ownerOf = (path: string): User | undefined => {
  try {
    const { uid, gid } = statSync(path);
    return uid === 0 ? undefined : { uid, gid };
  } catch {
    return undefined;
  }
};

const nobody = (): User | undefined => {
  try {
    const line = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((candidate) => candidate.startsWith('nobody:'));
    const [, , uid, gid] = line?.split(':') ?? [];
    return uid && gid ? { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 } : undefined;
  } catch {
    return undefined;
  }
};

/** `initdb` wants a name for whom it runs as, which owners of mounted folders often lack. */
const hasName = ({ uid }: User): boolean =>
  spawnSync('id', ['-nu', String(uid)], { stdio: 'ignore' }).status === 0;

/**
 * Search and read rights are enough, since the user owns its data; containers often lack that
 * capability but have the wider one, so it comes second.
 */
const capabilities = ['dac_read_search', 'dac_override'];

/**
 * `no_setuid_fixup` makes access(2), by which PostgreSQL looks for its own programs, heed the
 * capability; of the others none survives the exec.
 */
const prefixWith = ({ uid, gid }: User, capability: string): string[] => [
  'setpriv',
  `--reuid=${uid}`,
  `--regid=${gid}`,
  '--clear-groups',
  `--inh-caps=+${capability}`,
  `--ambient-caps=+${capability}`,
  '--securebits=+no_setuid_fixup',
];

/** Has PostgreSQL itself find its programs and, where there is one, read the cluster. */
const reaches = (runAs: RunAs, binaries: PostgresBinaries, dataDir: string): boolean => {
  const clusterDir = join(dataDir, 'postgres');
  const program = ownerOf(clusterDir)
    ? [binaries.postgres, '-C', 'port', '-D', clusterDir]
    : [binaries.initdb, '--show', '-D', join(dataDir, 'probe')];
  const script = 'cd "$0" && "$@" >/dev/null';
  const [command = 'sh', ...rest] = [...runAs.prefix, 'sh', '-c', script, dataDir, ...program];
  const ids = runAs.prefix.length === 0 ? runAs.user : undefined;
  return spawnSync(command, rest, { ...ids, cwd: '/', stdio: 'ignore' }).status === 0;
};

/**
 * Decides as whom PostgreSQL runs: as ourselves, or, when we are root, as the owner of the
 * cluster, then of `dataDir` if the system knows that user, then as `nobody`.
 * @throws Error with one sentence that names the way out when no such user can reach the folders
 */
export const chooseRunAs = (binaries: PostgresBinaries, dataDir: string): RunAs => {
  if (process.getuid?.() !== 0) return { prefix: [] };
  const remedy =
    'set DATABASE_URL, run as an ordinary user, or move the folder to where every user may go';
  const owner = ownerOf(dataDir);
  const user = ownerOf(join(dataDir, 'postgres')) ?? (owner && hasName(owner) ? owner : nobody());
  if (!user) {
    throw new Error(`PostgreSQL cannot run as root and there is no user "nobody": ${remedy}`);
  }
  const candidates: RunAs[] = [
    { user, prefix: [] },
    ...capabilities.map((capability) => ({ user, prefix: prefixWith(user, capability) })),
  ];
  const chosen = candidates.find((candidate) => reaches(candidate, binaries, dataDir));
  if (!chosen) {
    throw new Error(
      `PostgreSQL cannot run as root, and user ${user.uid} cannot reach both ${dataDir} and ${dirname(binaries.postgres)}: ${remedy}`,
    );
  }
  return chosen;
};

/** The arguments of `spawn` for a program that is to run that way. */
export const commandAs = (
  runAs: RunAs,
  program: string,
  args: string[],
): { command: string; args: string[]; ids: { uid?: number; gid?: number } } => {
  const [command = program, ...rest] = [...runAs.prefix, program, ...args];
  return { command, args: rest, ids: runAs.prefix.length === 0 ? (runAs.user ?? {}) : {} };
};
