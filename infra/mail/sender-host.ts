import { domainToASCII } from 'node:url';

/**
 * The host of a sender in ASCII, as mails name it. Undefined: it cannot stand in a Message-ID.
 * @param from an address, with or without a display name
 */
export const senderHost = (from: string): string | undefined => {
  const written = from.slice(from.lastIndexOf('@') + 1).replace(/>$/, '');
  const host = domainToASCII(written);
  return /^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(host) && host.length <= 253 ? host : undefined;
};
