import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

/**
 * The ways in which Chromium gets its sandbox: without help; in a user namespace in which it is not root,
 * because it refuses to run as root; or none.
 */
export type Sandbox = 'own' | 'namespace' | 'none';

/** Runs a program as an ordinary user who still owns the files of root, and nothing beyond. */
export const asOrdinaryUser = ['--user', '--map-user=1000', '--map-group=1000', '--'];
/** The namespaces that form the sandbox. */
const namespaces = ['--user', '--pid', '--net', '--fork'];

const places = ['/usr/bin/unshare', '/bin/unshare'];
export const namespaceProgram = places.find((path) => existsSync(path)) ?? 'unshare';

const run = promisify(execFile);

async function probe(): Promise<Sandbox> {
  if (process.platform !== 'linux') return 'own';
  const isRoot = process.getuid?.() === 0;
  const inner = [...namespaces, 'true'];
  const args = isRoot ? [...asOrdinaryUser, namespaceProgram, ...inner] : inner;
  try {
    await run(namespaceProgram, args, { timeout: 5_000, env: { PATH: '/usr/bin:/bin' } });
    return isRoot ? 'namespace' : 'own';
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return isMissing && !isRoot ? 'own' : 'none';
  }
}

let probed: Promise<Sandbox> | undefined;

/** Which sandbox this machine allows; asked once. */
export const sandboxHere = (): Promise<Sandbox> => {
  probed ??= probe();
  return probed;
};

export const noSandboxWarning =
  'HTML letters are printed by a browser without its sandbox: allow user namespaces (sysctl kernel.unprivileged_userns_clone=1 and kernel.apparmor_restrict_unprivileged_userns=0, a seccomp profile of the container that lets unshare and clone through, the program unshare), see docs/operations.md';
