/**
 * The connection strings of EventStoreDB and KurrentDB, in the form that their users have and that the client
 * accepts. Messages name the part that is wrong and never its text: a password that is not encoded can be
 * anywhere.
 */
import { readFileSync } from 'node:fs';

export type Connection = {
  /** One alone is spoken to; several are asked which cluster they are. */
  hosts: Host[];
  /** The one host is a name that stands for a cluster. */
  discovers: boolean;
  tls: boolean;
  /** Not sent without TLS. */
  credentials?: { username: string; password: string };
  /** The user that error messages name; absent where none is sent, for example without TLS. */
  caller?: string;
  /** Checked, by name, as the client wants their values. */
  options: ReadonlyMap<OptionName, string>;
};

type Host = { address: string; port: number };

/** The message says which part breaks which rule; nothing of the string is in it. */
export class WrongConnectionString extends Error {}

const wrong = (part: string, rule: string): never => {
  throw new WrongConnectionString(`${part} ${rule}`);
};

const schemes = ['esdb', 'esdb+discover', 'kurrentdb', 'kurrentdb+discover'];
/** As users write them, and as the client does. */
const nodePreferences = {
  leader: 'leader',
  follower: 'follower',
  random: 'random',
  readOnlyReplica: 'read_only_replica',
};
/** The client makes a pause of a millisecond of its own "never", which no timer can wait for. */
const neverMs = 2_147_483_647;

const flatOf = (text: string): string => text.toLowerCase().replace(/[_-]/g, '');

const decode = (text: string, part: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return wrong(part, 'is not percent-encoded rightly (a % is written %25)');
  }
};

/** Value as the client is to be given it. @throws WrongConnectionString */
type Option = (value: string, name: string) => string;

const flag: Option = (value, name) =>
  value === 'true' || value === 'false' ? value : wrong(name, 'must be true or false');

const integer =
  (least: number): Option =>
  (value, name) =>
    /^\d{1,9}$/.test(value) && Number(value) >= least
      ? value
      : wrong(name, `must be a whole number from ${least}`);

const keepAlive: Option = (value, name) => {
  if (value === '-1') return String(neverMs);
  return /^[1-9]\d{0,8}$/.test(value)
    ? value
    : wrong(name, 'must be milliseconds from 1, or -1 for never');
};

const nodePreference: Option = (value, name) =>
  Object.values(nodePreferences).find((one) => flatOf(one) === flatOf(value)) ??
  wrong(name, `must be one of ${Object.keys(nodePreferences).join(', ')}`);

/** A file with a PEM text. */
const pemFile: Option = (value, name) => {
  const path = decode(value, name);
  try {
    if (readFileSync(path, 'utf8').includes('-----BEGIN ')) return path;
  } catch {
    return wrong(name, 'must be the path of a file that can be read');
  }
  return wrong(name, 'must be the path of a PEM file');
};

const onlyTrue =
  (why: string): Option =>
  (value, name) =>
    value === 'true' ? value : wrong(name, `cannot be false: ${why}`);

const rules = {
  tls: flag,
  tlsVerifyCert: onlyTrue('give the certificate authority as tlsCAFile'),
  tlsCAFile: pemFile,
  userCertFile: pemFile,
  userKeyFile: pemFile,
  nodePreference,
  connectionName: decode,
  maxDiscoverAttempts: integer(1),
  discoveryInterval: integer(0),
  gossipTimeout: integer(1),
  defaultDeadline: integer(1),
  keepAliveInterval: keepAlive,
  keepAliveTimeout: keepAlive,
  throwOnAppendFailure: onlyTrue('a refused append would pass for one that happened'),
} satisfies Record<string, Option>;

type OptionName = keyof typeof rules;

const optionNames = Object.keys(rules) as OptionName[];

const ordinal = (index: number): string => `host ${index + 1}`;

function hostOf(text: string, index: number): Host {
  const part = ordinal(index);
  if (text === '') wrong(part, 'is empty; hosts are separated by single commas');
  if (/[[\]]/.test(text))
    wrong(part, 'is an IPv6 address, which the client cannot read; use a name');
  const [address = '', port = '2113', ...rest] = text.split(':');
  if (!/^[\w.-]+$/.test(address))
    wrong(part, 'must be a name or an IPv4 address, and a port after a colon');
  const isPort = /^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535;
  if (!isPort || rest.length > 0) wrong(`the port of ${part}`, 'must be a number from 1 to 65535');
  return { address, port: Number(port) };
}

function queryOf(text: string): Map<OptionName, string> {
  const found = new Map<OptionName, string>();
  for (const [index, pair] of text.split('&').filter(Boolean).entries()) {
    const [key = '', value = '', ...rest] = pair.split('=');
    const name = optionNames.find((known) => flatOf(known) === flatOf(key));
    if (name === undefined) {
      return wrong(`option ${index + 1}`, `is not known; known are ${optionNames.join(', ')}`);
    }
    if (value === '' || rest.length > 0) wrong(`option ${name}`, 'must be written name=value');
    if (found.has(name)) wrong(`option ${name}`, 'is given twice');
    found.set(name, rules[name](value, `option ${name}`));
  }
  return found;
}

function credentialsOf(text: string): { username: string; password: string } {
  const [user = '', ...rest] = text.split(':');
  if (user === '' || rest.length === 0 || rest.join('') === '') {
    wrong('the user', 'must stand with its password: user:password@');
  }
  return {
    username: decode(user, 'the user'),
    password: decode(rest.join(':'), 'the password'),
  };
}

/** Checks the options together. */
function assertSense(query: Map<OptionName, string>, credentials: object | undefined): void {
  const tls = query.get('tls') !== 'false';
  const [certificate, key] = [query.has('userCertFile'), query.has('userKeyFile')];
  if (certificate !== key) {
    wrong(
      `option ${certificate ? 'userCertFile' : 'userKeyFile'}`,
      'needs the other of userCertFile and userKeyFile',
    );
  }
  for (const name of ['tlsCAFile', 'userCertFile'] as const) {
    if (!tls && query.has(name)) wrong(`option ${name}`, 'makes no sense with tls=false');
  }
  if (tls && !credentials && !certificate) {
    wrong(
      'the user',
      'is missing: user:password@ before the hosts, or userCertFile and userKeyFile (tls=false for a server without security)',
    );
  }
}

/** @throws WrongConnectionString */
export function parseConnectionString(text: string): Connection {
  const [, scheme = '', after = ''] = /^([a-z+]+):\/\/(.*)$/is.exec(text.trim()) ?? [];
  if (!schemes.includes(scheme.toLowerCase())) {
    wrong('the scheme', `must be one of ${schemes.map((one) => `${one}://`).join(', ')}`);
  }
  const [, authority = '', path = '', search = ''] =
    /^([^/?]*)(\/[^?]*)?(?:\?(.*))?$/s.exec(after) ?? [];
  const encoded = 'user and password must be percent-encoded (@ is %40, / is %2F, ? is %3F)';
  if (`${path}${search}`.includes('@')) wrong('behind the hosts', `stands an @: ${encoded}`);
  if (!/^\/?$/.test(path)) wrong('the path', 'must be empty: options follow after ?');
  const at = authority.lastIndexOf('@');
  const credentials = at < 0 ? undefined : credentialsOf(authority.slice(0, at));
  const hosts = authority
    .slice(at + 1)
    .split(',')
    .map(hostOf);
  const query = queryOf(search);
  assertSense(query, credentials);

  const tls = query.get('tls') !== 'false';
  const certified = query.has('userCertFile') ? 'the user of the certificate' : undefined;
  const caller = credentials ? `user ${JSON.stringify(credentials.username)}` : certified;
  return {
    hosts,
    // Of several names the client would ask the first only; as hosts all of them are asked.
    discovers: scheme.toLowerCase().endsWith('+discover') && hosts.length === 1,
    tls,
    ...(credentials ? { credentials } : {}),
    ...(tls && caller !== undefined ? { caller } : {}),
    options: query,
  };
}
