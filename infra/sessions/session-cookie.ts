import { pathPrefixOf } from '../../ground/path-prefix.ts';
import { longestMs } from './sessions.ts';

/** A cookie that holds the token of a session. */
type SessionCookie = {
  /** The token in a `Cookie` header. */
  tokenIn(header: string): string | undefined;
  /** The value of `Set-Cookie` that gives the browser a token. */
  holding(token: string, lastsMs?: number): string;
  /** The value of `Set-Cookie` that takes it away. */
  removed: string;
  /**
   * Whether a browser that uses this `Host` may get the cookie: without https, only a browser on this machine. The
   * service may be open to a network although its public address was never set.
   */
  isSafeAt(host: string | undefined): boolean;
};

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

const read = (header: string, name: string): string | undefined =>
  header
    .split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);

/**
 * The cookie for the public address of the service. Over https it is Secure and bound to the host (`__Host-`).
 * Over http on this machine it is neither, because some browsers drop it there. Undefined for other http
 * addresses: an API key and a session must not travel in clear text.
 * @param path below the public address; over http the cookie is sent for it alone
 */
export const sessionCookie = (
  baseUrl: string,
  path: string,
  name: 'console' | 'operator' | `operator-login-${number}` = 'console',
): SessionCookie | undefined => {
  const { protocol, hostname } = new URL(baseUrl);
  const secure = protocol === 'https:';
  if (!secure && !loopback.test(hostname)) return undefined;
  const cookie = secure ? `__Host-${name}` : name;
  const attributes = secure
    ? 'Path=/; Secure; HttpOnly; SameSite=Lax'
    : `Path=${pathPrefixOf(baseUrl)}${path}; HttpOnly; SameSite=Lax`;
  return {
    tokenIn: (header) => read(header, cookie),
    holding: (token, lastsMs = longestMs) =>
      `${cookie}=${token}; Max-Age=${lastsMs / 1_000}; ${attributes}`,
    removed: `${cookie}=; Max-Age=0; ${attributes}`,
    isSafeAt: (host) => secure || loopback.test(URL.parse(`http://${host}`)?.hostname ?? ''),
  };
};
