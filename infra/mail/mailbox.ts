const mailbox =
  /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/;

/**
 * Whether mail can be sent to an address: a plain mailbox in ASCII. A header or an SMTP command cannot be smuggled in
 * with one.
 */
export const isMailbox = (address: string): boolean => mailbox.test(address);
