import { expect } from 'chai';
import { parseConnectionString } from '../../infra/event-store/eventstoredb/connection-string.ts';
import { ConfigError, readConfig } from '../../service/config/config.ts';

const certificates = `${import.meta.dirname}/../support/certificates`;
const user = `userCertFile=${certificates}/user.pem&userKeyFile=${certificates}/user-key.pem`;

/** The error at a start with this address. */
const refusal = (url: string): string => {
  try {
    readConfig({ EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: url });
    return 'accepted';
  } catch (error) {
    expect(error).to.be.instanceOf(ConfigError);
    return (error as Error).message;
  }
};

describe('connection string of EventStoreDB', () => {
  /** The settings of the client, in one line. */
  const told = (url: string): string => {
    const { hosts, discovers, credentials, options } = parseConnectionString(url);
    const places = hosts.map(({ address, port }) => `${address}:${port}`);
    const search = [...options].map(([name, value]) => `${name}=${value}`);
    const login = credentials ? [`${credentials.username} with ${credentials.password}`] : [];
    return [...(discovers ? ['discover'] : []), ...places, ...login, ...search].join(' ');
  };

  const accepted = [
    ['one node', 'esdb://localhost:2113?tls=false', 'localhost:2113 tls=false'],
    ['the usual port', 'esdb://db?tls=false', 'db:2113 tls=false'],
    ['a cluster without DNS', 'esdb://u:p@a:2113,b:2114,c', 'a:2113 b:2114 c:2113 u with p'],
    ['a cluster by DNS', 'esdb+discover://u:p@db.example', 'discover db.example:2113 u with p'],
    ['several to discover by', 'esdb+discover://u:p@a,b', 'a:2113 b:2113 u with p'],
    ['KurrentDB', 'kurrentdb://u:p@a:2113', 'a:2113 u with p'],
    ['a cluster of KurrentDB', 'kurrentdb+discover://u:p@a', 'discover a:2113 u with p'],
    ['a slash before the options', 'esdb://a/?tls=false', 'a:2113 tls=false'],
    [
      'names of options as others write them',
      'esdb://a?TLS=false&node-preference=readOnlyReplica',
      'a:2113 tls=false nodePreference=read_only_replica',
    ],
    ['a password with everything in it', 'esdb://u:p%40%2F%3A%3F@a', 'a:2113 u with p@/:?'],
    ['a password with a colon and an @', 'esdb://u:p:q@r@a', 'a:2113 u with p:q@r'],
    ['the certificate of a user', `esdb://a?${user}`, `a:2113 ${user.replace('&', ' ')}`],
    [
      'keep-alive',
      'esdb://a?tls=false&keepAliveInterval=20000&keepAliveTimeout=5000',
      'a:2113 tls=false keepAliveInterval=20000 keepAliveTimeout=5000',
    ],
    [
      'no keep-alive, of which the client would make one every millisecond',
      'esdb://a?tls=false&keepAliveInterval=-1',
      'a:2113 tls=false keepAliveInterval=2147483647',
    ],
  ] as const;
  for (const [what, url, client] of accepted) {
    it(`takes ${what}`, () => {
      expect(refusal(url)).to.equal('accepted');
      expect(told(url)).to.equal(client);
    });
  }

  it('says who calls, as far as the server learns it', () => {
    expect(parseConnectionString('esdb://letters:p@a')).to.include({
      caller: 'user "letters"',
    });
    expect(parseConnectionString(`esdb://a?${user}`).caller).to.equal(
      'the user of the certificate',
    );
    const insecure = parseConnectionString('esdb://letters:p@a?tls=false');
    expect(insecure).to.include({ tls: false }).and.not.have.property('caller');
  });

  const wrong = [
    ['postgres://localhost/db', /^EVENTSTORE_URL: the scheme must be one of esdb:\/\/, /],
    ['localhost:2113', /the scheme/],
    ['esdb://', /host 1 is empty/],
    ['esdb://a,,b?tls=false', /host 2 is empty/],
    ['esdb://a:2113,b:x?tls=false', /the port of host 2 must be a number from 1 to 65535/],
    ['esdb://a:0?tls=false', /the port of host 1/],
    ['esdb://[::1]:2113?tls=false', /host 1 is an IPv6 address/],
    ['esdb://a b?tls=false', /host 1 must be a name/],
    ['esdb://letters@a', /the user must stand with its password/],
    ['esdb://letters:%zz@a', /the password is not percent-encoded/],
    ['esdb://letters:p/q@a', /behind the hosts stands an @: .*percent-encoded/],
    ['esdb://a', /the user is missing/],
    ['esdb://u:p@a/path', /the path must be empty/],
    ['esdb://a?tls=no', /option tls must be true or false/],
    ['esdb://a?tls=false&tls=false', /option tls is given twice/],
    [
      'esdb://a?tls=false&tlsVerifyCert=false',
      /option tlsVerifyCert cannot be false: give .* tlsCAFile/,
    ],
    ['esdb://u:p@a?tlsCAFile=/nowhere/ca.pem', /option tlsCAFile must be the path of a file/],
    [
      `esdb://u:p@a?tlsCAFile=${import.meta.filename}`,
      /option tlsCAFile must be the path of a PEM file/,
    ],
    [
      `esdb://a?tls=false&tlsCAFile=${certificates}/ca.pem`,
      /option tlsCAFile makes no sense with tls=false/,
    ],
    [`esdb://a?userCertFile=${certificates}/user.pem`, /option userCertFile needs the other/],
    [
      'esdb://a?tls=false&nodePreference=any',
      /option nodePreference must be one of leader, follower/,
    ],
    ['esdb://a?tls=false&keepAliveInterval=0', /option keepAliveInterval must be milliseconds/],
    [
      'esdb://a?tls=false&maxDiscoverAttempts=many',
      /option maxDiscoverAttempts must be a whole number/,
    ],
    ['esdb://a?tls=false&colour=red', /option 2 is not known; known are tls, /],
    [
      'esdb://a?tls=false&throwOnAppendFailure=false',
      /option throwOnAppendFailure cannot be false/,
    ],
  ] as const;
  for (const [url, message] of wrong) {
    it(`refuses ${url.replace(certificates, '').replace(import.meta.filename, '(this file)')}`, () => {
      expect(refusal(url)).to.match(message);
    });
  }

  it('never repeats what may be a password, whatever is wrong with the string', () => {
    const secrets = [
      'Tr0ub4dor',
      'Tr0ub4dor@Z',
      'Tr0ub4dor/Z',
      'Tr0ub4dor?Z=1',
      'Tr0ub4dor#Z',
      '%Tr0ub4dor',
      'Tr0ub4dor:Z',
      'Tr0ub4dor,Z',
    ];
    const around = [
      (secret: string) => `esdb://letters:${secret}@a:x`,
      (secret: string) => `esdb://letters:${secret}@`,
      (secret: string) => `esdb://letters:${secret}`,
      (secret: string) => `esdb:letters:${secret}@a`,
      (secret: string) => `http://letters:${secret}@a`,
      (secret: string) => `esdb://:${secret}@a`,
      (secret: string) => `esdb://letters:${secret}@a,[b`,
      (secret: string) => `esdb://letters:${secret}@a?tls=maybe`,
      (secret: string) => `esdb://letters:${secret}@a?${secret}=1`,
      (secret: string) => `esdb://letters:${secret}@a?tls`,
      (secret: string) => `esdb://letters:${secret}@a?tlsCAFile=/none`,
    ];
    for (const secret of secrets) {
      for (const written of around) {
        const said = refusal(written(secret));
        expect(said)
          .to.match(/^(EVENTSTORE_URL: |accepted$)/)
          .and.not.include('Tr0ub4dor');
      }
    }
  });
});
