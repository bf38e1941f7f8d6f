/** Where a request comes from, also behind proxies. */
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Network = [Address, number];

const v4Pattern = /^\d{1,3}(?:\.\d{1,3}){3}$/;

/** The address of an IPv4 peer, as a socket that listens on IPv6 gives it. */
const mappedPattern = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/;

/** IPv4 that is written as IPv6 is the same address. Zones (`%eth0`) count for this machine only. */
const parse = (text: string): Address | undefined => {
  const plain = text.replace(/%.*$/s, '');
  const isAddress = v4Pattern.test(plain) || plain.includes(':');
  return isAddress && ipaddr.isValid(plain) ? ipaddr.process(plain) : undefined;
};

/** `10.0.0.0/8`, `2001:db8::/32`, or a single address. Undefined for anything else. */
export const parseNetwork = (text: string): Network | undefined => {
  const [written = '', bits, ...more] = text.split('/');
  const address = parse(written);
  if (address === undefined || more.length > 0) return undefined;
  const longest = address.kind() === 'ipv4' ? 32 : 128;
  if (bits === undefined) return [address, longest];
  if (!/^\d{1,3}$/.test(bits) || Number(bits) > longest) return undefined;
  return [address, Number(bits)];
};

const isIn = (address: Address, networks: readonly Network[]): boolean =>
  networks.some(
    ([network, bits]) =>
      network.kind() === address.kind() && address.match(network as ipaddr.IPv4, bits),
  );

/** `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]:4711`: all are written by proxies. */
const withoutPort = (entry: string): string => {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(entry)?.[1];
  return bracketed ?? entry.replace(/^([\d.]+):\d+$/, '$1');
};

/** The part of an address that identifies a client: an IPv4 address, or the /64 network of an IPv6 customer. */
const labelOf = (address: Address): string => {
  if (address.kind() === 'ipv4') return address.toString();
  const groups = (address as ipaddr.IPv6).parts.slice(0, 4).map((part) => part.toString(16));
  return `${groups.join(':')}::/64`;
};

/**
 * Names the client of a request: the nearest address of the way that is not one of the `trusted` proxies.
 * `X-Forwarded-For` counts only when a trusted peer sends it, and is read from its end, since anybody may
 * have written what stands before. From an entry that is no address on, nothing is believed.
 * @returns an IPv4 address, or the /64 network of an IPv6 address
 */
export const createClientAddress =
  (trusted: readonly Network[]) =>
  (address: string, forwardedFor: string | undefined): string => {
    const peer = address.replace(mappedPattern, '$1');
    const trusts = trusted.length > 0 && forwardedFor !== undefined;
    if (!trusts && v4Pattern.test(peer)) return peer;
    let client = parse(peer);
    if (client === undefined) return peer;
    const entries = trusts ? forwardedFor.split(',') : [];
    while (entries.length > 0 && isIn(client, trusted)) {
      const nearer = parse(withoutPort((entries.pop() ?? '').trim()));
      if (nearer === undefined) break;
      client = nearer;
    }
    return labelOf(client);
  };
