import { domainToASCII } from 'node:url';
import parseAddresses from 'nodemailer/lib/addressparser';

/** The address of a sender; undefined where the text has none or several. */
const addressIn = (from: string): string | undefined => {
  const unquoted = from.replaceAll(/"[^"]*"/g, '');
  const [first, ...others] = parseAddresses(from);
  const isOne = others.length === 0 && unquoted.split('@').length === 2;
  return isOne && first && 'address' in first ? first.address : undefined;
};

/**
 * The host of a sender in ASCII, as mails name it. Undefined: the text is not one address whose host can stand in a
 * Message-ID.
 * @param from an address, with or without a display name
 */
export const senderHost = (from: string): string | undefined => {
  const [, written] = /^[^\s@]+@([^\s@]+)$/.exec(addressIn(from) ?? '') ?? [];
  const host = written === undefined ? '' : domainToASCII(written);
  return /^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(host) && host.length <= 253 ? host : undefined;
};
