import { readFileSync } from 'node:fs';
import { assertWebhookSecret } from '../../infra/signing/standard-webhooks.ts';

/** A name in the environment is set wrongly. The message is one line without the value of secrets. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConfigError';
  }
}

/** Text → value. @throws RuleBroken with the rule, e.g. `must be a URL` */
export type Parser<T> = (text: string) => T;

/** Thrown by parsers; becomes a `ConfigError` that names the variable. */
export class RuleBroken extends Error {}

const fail = (rule: string): never => {
  throw new RuleBroken(rule);
};

export const text: Parser<string> = (value) => value;

export const integer =
  (min: number, max: number): Parser<number> =>
  (value) => {
    const number = Number(value);
    const fits = /^-?\d{1,16}$/.test(value) && number >= min && number <= max;
    return fits ? number : fail(`must be an integer from ${min} to ${max}`);
  };

export const oneOf =
  <const T extends string>(...values: readonly T[]): Parser<T> =>
  (value) =>
    values.find((candidate) => candidate === value) ?? fail(`must be one of ${values.join(', ')}`);

/** Comma-separated, at least one, each once. */
export const listOf =
  <T>(item: Parser<T>): Parser<T[]> =>
  (value) => {
    const parts = value.split(',').map((part) => part.trim());
    if (parts.includes('')) fail('must be a comma-separated list without empty parts');
    return [...new Set(parts.map(item))];
  };

export const flag: Parser<boolean> = (value) => {
  if (value === 'true' || value === '1') return true;
  return value === 'false' || value === '0' ? false : fail('must be true or false');
};

/** An absolute URL of one of the schemes. Kept as written. */
export const url =
  (...schemes: string[]): Parser<string> =>
  (value) => {
    const parsed = URL.canParse(value) ? new URL(value) : undefined;
    const fits = parsed && schemes.includes(parsed.protocol.slice(0, -1));
    return fits ? value : fail(`must be a URL with ${schemes.join(' or ')}`);
  };

/** Of URLs with a password: these signs end it, and what follows a # would be dropped. */
export const passwordSigns = 'in a password, write # / ? as %23 %2F %3F';

/** An http or https URL without a slash at its end, so that paths can be put after it. */
export const endpoint: Parser<string> = (value) => {
  const { search, hash } = new URL(url('http', 'https')(value));
  // The parser mends an address without two slashes or with blanks. Callers get it as it is written.
  if (!/^[a-z]+:\/\/[^\s/]\S*$/i.test(value))
    fail('must be a URL with two slashes and without blanks');
  return search || hash
    ? fail('must be a URL without query or fragment')
    : value.replace(/\/+$/, '');
};

/** The same without a password: the start prints it, and no client that uses it would send the password. */
export const baseUrl: Parser<string> = (value) => {
  const { username, password } = new URL(endpoint(value));
  return username || password ? fail('must be a URL without user and password') : endpoint(value);
};

export const matching =
  (pattern: RegExp, rule: string): Parser<string> =>
  (value) =>
    pattern.test(value) ? value : fail(rule);

const isPem = (value: string): boolean => value.trimStart().startsWith('-----BEGIN ');

const pemRule = 'must be a PEM text or the path of a file with one';

/** Empty where there is no such file. */
const contentOf = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? '' : fail(`${pemRule} that can be read (${code})`);
  }
};

/** A PEM text, its lines also separated by `\\n`, or the path of a file with one. */
export const pem: Parser<string> = (value) => {
  if (isPem(value)) return value.replaceAll('\\n', '\n');
  const content = contentOf(value);
  return isPem(content) ? content : fail(pemRule);
};

/** The result of `parse`, or the rule when it has none. */
export const orFail =
  <T>(parse: (value: string) => T | undefined, rule: string): Parser<T> =>
  (value) =>
    parse(value) ?? fail(rule);

export const evmAddress = matching(
  /^0x[0-9a-fA-F]{40}$/,
  'must be an EVM address (0x and 40 hex digits)',
);

export const evmKey = matching(
  /^0x[0-9a-fA-F]{64}$/,
  'must be a private key (0x and 64 hex digits)',
);

export const webhookSecret = orFail((value) => {
  try {
    assertWebhookSecret(value);
    return value;
  } catch {
    return undefined;
  }
}, 'must be whsec_ and 24 to 64 bytes in base64');

/** Whether nobody on the way to the address can read along, because of TLS or because it is on this machine. */
export const isPrivateOnTheWay = (address: string): boolean => {
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
};
