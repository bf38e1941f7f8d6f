import { Resolver, lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import type { buildConnector } from 'undici';
import { OutboundError } from './outbound-error.ts';

export type Resolve = (hostname: string) => Promise<string[]>;

type Rules = {
  resolve: Resolve;
  isAllowed: (address: string) => boolean;
  timeoutMs: number;
  ca?: string | undefined;
};

/**
 * Asks the name servers directly: unlike getaddrinfo this is bounded in time and holds no thread of
 * the pool, which the event store's files need, while somebody's name server is slow.
 */
export const resolveByDns = (timeoutMs: number): Resolve => {
  const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / 4), tries: 2 });
  return async (hostname) => {
    const [v4, v6] = await Promise.allSettled([
      resolver.resolve4(hostname),
      resolver.resolve6(hostname),
    ]);
    const found = [v4, v6].flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    if (found.length === 0 && v4.status === 'rejected') throw v4.reason;
    return found;
  };
};

/** As the system resolves, with its hosts file: for development, where `localhost` must work. */
export const resolveBySystem: Resolve = async (hostname) =>
  (await systemLookup(hostname, { all: true })).map((one) => one.address);

const notPublic = (host: string): OutboundError =>
  new OutboundError(
    'address_not_public',
    `${host} does not lead only to public addresses; use a host on the public internet`,
  );

/** @throws OutboundError dns_failed, address_not_public; one bad address refuses them all */
export const resolveAllowed = async (
  hostname: string,
  rules: Pick<Rules, 'resolve' | 'isAllowed'>,
): Promise<string[]> => {
  const addresses = await rules.resolve(hostname).catch((cause: unknown) => {
    throw new OutboundError('dns_failed', `the host name ${hostname} does not resolve`, { cause });
  });
  if (addresses.length === 0) {
    throw new OutboundError('dns_failed', `the host name ${hostname} has no address`);
  }
  if (!addresses.every(rules.isAllowed)) throw notPublic(hostname);
  return addresses;
};

const guardedLookup =
  (rules: Rules): LookupFunction =>
  (hostname, options, callback) => {
    resolveAllowed(hostname, rules).then(
      (addresses) => {
        const all = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first] = all;
        if (options.all) callback(null, all);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error) => callback(error, ''),
    );
  };

/**
 * Opens connections to allowed addresses only. The name is resolved once, here, and the connection goes to
 * the checked address, so a later change of the DNS answer has no effect.
 */
export const guardedConnector = async (rules: Rules): Promise<buildConnector.connector> => {
  const { buildConnector } = await import('undici');
  const connect = buildConnector({
    timeout: rules.timeoutMs,
    lookup: guardedLookup(rules),
    autoSelectFamily: true,
    allowH2: false,
    ...(rules.ca === undefined ? {} : { ca: rules.ca }),
  });
  return (options, callback) => {
    // A literal address is not looked up.
    if (isIP(options.hostname) !== 0 && !rules.isAllowed(options.hostname)) {
      callback(notPublic(options.hostname), null);
      return;
    }
    connect(options, (...[error, socket]) => {
      if (error) return callback(error, null);
      if (rules.isAllowed(socket.remoteAddress ?? '')) return callback(null, socket);
      socket.destroy();
      callback(notPublic(options.hostname), null);
    });
  };
};
