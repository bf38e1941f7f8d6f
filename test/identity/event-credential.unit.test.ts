import { hash } from 'node:crypto';
import { expect } from 'chai';
import {
  type CredentialEvent,
  type CredentialPlace,
  credentialHash,
  previousOf,
} from '../../identity/event-credential.ts';
import { JwtError, parseJwt } from '../../identity/jwt.ts';
import { ed25519FromSeed } from '../../identity/keys.ts';
import { accountEvents, accountId, letterEvents } from '../support/credential-world.ts';
import { issueEventCredential } from '../support/issue-credential.ts';

const { sign } = ed25519FromSeed(Buffer.alloc(32));
const issuer = {
  did: 'did:web:letters.example',
  kid: 'did:web:letters.example#credential-1',
  sign,
};

const eventOf = (
  { stream, type, data }: { stream: string; type: string; data: object },
  version: number,
): CredentialEvent => ({
  id: `00000000-0000-5000-8000-00000000000${version}`,
  stream,
  version: BigInt(version),
  type,
  data: { ...data },
  at: '2026-11-21T10:00:00.123Z',
  hash: 'h'.repeat(43),
});

/** The credentials of a stream, one after the other. */
const chainOf = (events: { stream: string; type: string; data: object }[], start = 0) => {
  let place: CredentialPlace = { logIndex: start, previous: undefined, account: undefined };
  return events.map((event, version) => {
    const issued = issueEventCredential(eventOf(event, version), place, issuer);
    place = { ...place, logIndex: place.logIndex + 1, previous: issued.next };
    return issued;
  });
};

describe('the credential of an event', () => {
  it('has the bytes that it always had', () => {
    const all = [...chainOf(accountEvents()), ...chainOf(letterEvents(), 2)];
    // The rules of version 1 never change: a change here needs a version 2 in addition to it.
    expect(all.map(({ jwt }) => hash('sha256', jwt, 'hex').slice(0, 16))).to.deep.equal([
      'b3297ce42b06d82c',
      '44628619721fbd8b',
      '45167eb35dc435c4',
      '0e57c1b8c419512e',
      'bb8555e02673c3b8',
      'c4706cb49b11f3eb',
      'fb51529f5e5a6637',
      'ddb759b6549d7d88',
    ]);
  });

  it('is read back as what it passes on', () => {
    for (const { jwt, next } of chainOf(letterEvents())) {
      const read = previousOf(jwt);
      expect(JSON.stringify(read)).to.equal(JSON.stringify(next));
      expect(read.hash).to.equal(credentialHash(jwt));
    }
    expect(() => previousOf('x')).to.throw(JwtError);
  });

  it('names each part of the data model', () => {
    const [first] = chainOf(letterEvents());
    const { header, payload } = parseJwt(first?.jwt ?? '', { maxBytes: 16_384 });
    expect(header).to.deep.equal({ alg: 'EdDSA', kid: issuer.kid, typ: 'JWT' });
    expect(Object.keys(payload)).to.deep.equal(['iss', 'sub', 'jti', 'nbf', 'vc']);
    expect(payload.nbf).to.equal(Math.floor(Date.parse('2026-11-21T10:00:00.123Z') / 1_000));
    expect((payload.vc as { type: string[] }).type).to.deep.equal([
      'VerifiableCredential',
      'LetterEventCredential',
    ]);
  });

  it('takes nothing that could be prose out of what it does not know', () => {
    const stream = 'letter-1';
    const [{ jwt } = { jwt: '' }] = chainOf([
      {
        stream,
        type: 'LetterReturned',
        data: { source: 'Anna Müller', reason: 'moved to 5 Main St', evidence: 7, terms: 'x' },
      },
    ]);
    const text = JSON.stringify(parseJwt(jwt, { maxBytes: 16_384 }).payload);
    expect(text).to.not.match(/Anna|Main St|evidence|outcome|source/);
  });

  it('says whose it is by the stream, before the data', () => {
    const wallet = {
      stream: `wallet-${accountId}-0`,
      type: 'FundsReserved',
      data: { accountId: 'acct_other', cryptoMicro: 5 },
    };
    const [issued] = chainOf([wallet]);
    expect(issued?.next.subject).to.include({ account: accountId });
    expect(issued?.next.subject.eventType).to.equal('wallet.funds_reserved');
    expect(JSON.stringify(issued?.next.subject)).to.not.include('cryptoMicro');
  });
});
