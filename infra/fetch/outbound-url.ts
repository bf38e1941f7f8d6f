import { isIP } from 'node:net';
import { OutboundError } from './outbound-error.ts';
import { isPublicAddress } from './public-address.ts';

const maxUrlChars = 2_048;
const httpsPort = 443;
const firstUnprivilegedPort = 1_024;

/** Names that lead to the own machine or network (RFC 6761, 6762, 8375, 9476 and common practice). */
const privateNames =
  /(^|\.)(localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa)$/;

const refuse = (message: string): never => {
  throw new OutboundError('url_not_allowed', message);
};

/** The host of a URL without the brackets of IPv6 and the dot of the root. */
export const hostOf = (url: URL): string =>
  url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');

const parse = (text: string): URL => {
  if (text.length > maxUrlChars) refuse(`the URL is longer than ${maxUrlChars} characters`);
  const url = URL.parse(text);
  return url ?? refuse('the URL is not valid; write it as https://host/path');
};

const assertPort = (url: URL): void => {
  const port = Number(url.port || httpsPort);
  if (port !== httpsPort && port < firstUnprivilegedPort) {
    refuse(`port ${port} is not allowed; use 443 or one from ${firstUnprivilegedPort}`);
  }
};

const assertPublicName = (host: string): void => {
  if (!host.includes('.') || privateNames.test(host)) {
    refuse(`${host} is not a public host name; use one that the public internet can reach`);
  }
};

/**
 * Parses a URL and judges it without asking DNS: https, no user part, port 443 or one from 1024 on
 * (which leaves out mail, SSH and the like), a public host name or address. The URL standard's parser
 * brings the host into one form first: IDNA, and IPv4 whether in hex, octal, decimal or short.
 * @param options.allowPrivate also http, every port and every host: for development
 * @throws OutboundError url_not_allowed, address_not_public
 */
export function parseOutboundUrl(
  text: string,
  options: { allowPrivate: boolean; isPublic?: (address: string) => boolean },
): URL {
  const url = parse(text);
  const protocols = options.allowPrivate ? ['https:', 'http:'] : ['https:'];
  if (!protocols.includes(url.protocol)) refuse('the URL must begin with https://');
  if (url.username || url.password) refuse('the URL must not contain a user name or a password');
  url.hash = '';
  if (options.allowPrivate) return url;
  assertPort(url);
  const host = hostOf(url);
  const { isPublic = isPublicAddress } = options;
  if (isIP(host) === 0) assertPublicName(host);
  else if (!isPublic(host)) {
    throw new OutboundError('address_not_public', `${host} is not a public address`);
  }
  return url;
}
