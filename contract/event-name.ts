/**
 * The public name of an event: its stream's kind and what happened, `letter.posted`,
 * `wallet.funds_reserved`, `service.identity_changed`.
 */
export const eventName = (stream: string, type: string): string => {
  const [kind = ''] = stream.split('-', 1);
  const prefix = kind.charAt(0).toUpperCase() + kind.slice(1);
  const what =
    type.startsWith(prefix) && type.length > prefix.length ? type.slice(prefix.length) : type;
  return `${kind}.${what.replaceAll(/(?<=[a-z0-9])[A-Z]/g, '_$&').toLowerCase()}`;
};
