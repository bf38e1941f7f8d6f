import ipaddr from 'ipaddr.js';

/** Azure's host agent and DNS: a public address that is served inside of every machine there. */
const azureHostAgent = '168.63.129.16';

/** The only block of IPv6 that is assigned for global unicast (RFC 4291, IANA). */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
/** The well-known prefix of NAT64: the IPv4 address in the last 32 bits counts (RFC 6052). */
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

const lastFourBytes = (address: ipaddr.IPv6): ipaddr.IPv4 =>
  new ipaddr.IPv4(address.toByteArray().slice(12));

const isPublicV6 = (address: ipaddr.IPv6): boolean => {
  if (address.isIPv4MappedAddress()) return isPublicV4(address.toIPv4Address());
  if (address.match(nat64)) return isPublicV4(lastFourBytes(address));
  return address.range() === 'unicast' && address.match(globalUnicast);
};

const isPublicV4 = (address: ipaddr.IPv4): boolean =>
  address.range() === 'unicast' && address.toString() !== azureHostAgent;

/**
 * Whether an IP address is one of the public internet. Everything that is not certainly public counts as private: text
 * that is no plain address, zones (`fe80::1%eth0`), IPv4 in other notations than four decimal parts,
 * tunnels (6to4, Teredo), and every special-purpose range of IANA's registries, as ipaddr.js has them.
 */
export function isPublicAddress(text: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return isPublicV4(ipaddr.IPv4.parse(text));
  // In hex only, as ipaddr.js takes ::8.8.8.8 for ::ffff:8.8.8.8.
  const hex = text.includes(':') ? URL.parse(`http://[${text}]`)?.hostname.slice(1, -1) : undefined;
  return hex !== undefined && isPublicV6(ipaddr.IPv6.parse(hex));
}
