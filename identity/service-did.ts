/**
 * How the service is named: its DID, the ids of its keys, and the name of its log.
 * Sources: W3C did:web method; C2SP tlog-checkpoint, "origin".
 */

const isIpAddress = (host: string): boolean => /^[\d.]+$/.test(host) || host.startsWith('[');

/**
 * The did:web of an https address, with port and path (`did:web:example.com%3A8443:letters`). Undefined for
 * addresses without https and for bare IP addresses, which did:web forbids.
 */
export const webDidOf = (baseUrl: string | undefined): string | undefined => {
  if (baseUrl === undefined) return undefined;
  const { protocol, hostname, port, pathname } = new URL(baseUrl);
  if (protocol !== 'https:' || isIpAddress(hostname)) return undefined;
  const host = port === '' ? hostname : `${hostname}%3A${port}`;
  const path = pathname.split('/').filter((segment) => segment !== '');
  return ['did:web', host, ...path].join(':');
};

/** Name of the log: host and path of an https address, `letters.local` for any other. */
export const logOriginOf = (baseUrl: string | undefined): string => {
  if (baseUrl === undefined || !baseUrl.startsWith('https:')) return 'letters.local';
  const { host, pathname } = new URL(baseUrl);
  return `${host}${pathname}`.replace(/\/+$/, '');
};

/** The absolute id of a key of the service, as `kid` and as verification method. */
export const kidOf = (did: string, key: { keyId: string; publicKey: string }): string =>
  `${did}#${did.startsWith('did:key:') ? key.publicKey : key.keyId}`;
