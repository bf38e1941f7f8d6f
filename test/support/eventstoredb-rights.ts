/** Rights of users on a stand-in server. */
import type { Metadata } from '@grpc/grpc-js';
import { accessDenied, type ServerError, unauthenticated } from './eventstoredb-errors.ts';

/** `readsAll`: is one of `$admins`, or of a group that the ACL of `$all` names. */
export type Users = Record<string, { password: string; readsAll?: boolean }>;

/** Why a call is refused. Without users everybody may do everything, as with `--insecure`. */
export const refusedCall = (
  users: Users | undefined,
  metadata: Metadata,
  call: 'stream' | 'all',
): ServerError | undefined => {
  if (users === undefined) return undefined;
  const [given] = metadata.get('authorization');
  // Appending and reading need credentials.
  if (given === undefined) return accessDenied();
  const [name = '', password] = Buffer.from(String(given).replace(/^Basic /, ''), 'base64')
    .toString('utf8')
    .split(/:(.*)/s);
  const user = users[name];
  if (user === undefined || user.password !== password) return unauthenticated();
  return call === 'all' && !user.readsAll ? accessDenied() : undefined;
};
