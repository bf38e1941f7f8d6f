import { expect } from 'chai';
import type { ServiceIdentity } from '../../events/service-identity.ts';
import { continuationsOf } from '../../identity/continuation.ts';
import { presentServiceDid } from '../../presenters/did.ts';
import {
  credentialOf,
  establishedIdentity,
  firstKey,
  type Key,
  kidOfKey,
  movedIdentity,
  rotatedIdentity,
  secondKey,
} from '../support/service-identities.ts';
import { fencesOf, guide } from './guides.ts';

type Message = { id: string; subject: string; data: { credential: string } };
type Module = {
  createVerifier(...answers: object[]): (message: Message) => { sequence: number } | undefined;
};

/** The answer of `service_did` to a service that had these identities, the present one last. */
const answerOf = (...history: ServiceIdentity[]): ReturnType<typeof presentServiceDid> => {
  const present = history.at(-1);
  if (!present) throw new Error('there is no identity');
  const signer = (keyId: string) => (keyId.endsWith('-1') ? firstKey : secondKey);
  const statements = continuationsOf(history, 'letters.local', signer);
  const at = Date.parse('2026-11-01T00:00:00.000Z');
  return JSON.parse(JSON.stringify(presentServiceDid(present, 'letters.local', at, statements)));
};

const messageOf = ({ did }: ServiceIdentity, key: Key, at: string): Message => ({
  id: 'urn:uuid:11111111-1111-4111-8111-111111111111',
  subject: 'letter-8f3d2a10-5c55-4f0e-9a37-2f6c1f6f0001',
  data: { credential: credentialOf(did, kidOfKey(did, key), key, at) },
});

describe('the verifier in the guide to Kafka', () => {
  const early = '2026-05-01T00:00:00.000Z';
  const late = '2026-10-01T00:00:00.000Z';
  let createVerifier: Module['createVerifier'];

  before(async () => {
    const [verifier = ''] = fencesOf(guide('docs/kafka.md'))
      .filter(({ language }) => language === 'js')
      .map(({ text }) => text);
    const module: Module = await import(`data:text/javascript,${encodeURIComponent(verifier)}`);
    createVerifier = module.createVerifier;
  });

  /** The result for one message: `accepted`, or why not. */
  const told = (message: Message, ...answers: object[]): string => {
    try {
      return createVerifier(...answers)(message)?.sequence === 1 ? 'accepted' : 'skipped';
    } catch (error) {
      return (error as Error).message;
    }
  };

  it('accepts what a service signed under its former did:keys, after a rotation and a move', () => {
    const local = establishedIdentity(undefined);
    const renewed = rotatedIdentity(local);
    const web = movedIdentity(renewed, 'did:web:letters.example');
    const answer = answerOf(local, renewed, web);
    expect(told(messageOf(local, firstKey, early), answer)).to.equal('accepted');
    expect(told(messageOf(renewed, secondKey, late), answer)).to.equal('accepted');
    expect(told(messageOf(web, secondKey, late), answer)).to.equal('accepted');
    expect(told(messageOf(local, firstKey, late), answer)).to.contain('its key was retired');
    expect(told(messageOf(local, firstKey, early), answerOf(local, renewed))).to.equal('accepted');
  });

  it('accepts a former did:key only if the key itself says that the service goes on', () => {
    const local = establishedIdentity(undefined);
    const web = movedIdentity(local, 'did:web:letters.example');
    const answer = answerOf(local, web);
    const message = messageOf(local, firstKey, early);
    const other = answerOf(local, movedIdentity(local, 'did:web:other.example'));
    const [former] = answer.former_dids ?? [];
    const [header, payload] = former?.statement.split('.') ?? [];
    const forged = { ...former, statement: `${header}.${payload}.${'A'.repeat(86)}` };
    for (const former_dids of [[], other.former_dids, [forged]]) {
      expect(told(message, { ...answer, former_dids })).to.contain("is not the service's");
    }
    const unsaid = { ...answerOf(local, rotatedIdentity(local)), former_dids: [] };
    expect(told(message, unsaid)).to.contain("is not the service's");
  });

  it('accepts a former did:web with an answer from before the move, and not without', () => {
    const web = rotatedIdentity(establishedIdentity('did:web:letters.example'));
    const there = movedIdentity(web, 'did:web:post.example');
    const [earlier, answer] = [answerOf(web), answerOf(web, there)];
    for (const [key, at] of [
      [firstKey, early],
      [secondKey, late],
    ] as const) {
      const message = messageOf(web, key, at);
      expect(told(message, answer)).to.contain("is not the service's");
      expect(told(message, answer, earlier)).to.equal('accepted');
    }
    expect(told(messageOf(there, secondKey, late), answer, earlier)).to.equal('accepted');
  });

  it('accepts no key that only an earlier answer names', () => {
    const web = establishedIdentity('did:web:letters.example');
    const stranger = {
      ...establishedIdentity('did:web:post.example'),
      keys: rotatedIdentity(web).keys.slice(-4),
    };
    const message = messageOf(web, firstKey, early);
    expect(told(message, answerOf(stranger), answerOf(web))).to.contain("is not the service's");
  });

  it('accepts a key under its own name only', () => {
    const web = establishedIdentity('did:web:letters.example');
    const { credential } = messageOf(web, firstKey, early).data;
    const [header, payload = ''] = credential.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const other = Buffer.from(JSON.stringify({ ...claims, iss: 'did:web:post.example' }));
    const signed = `${header}.${other.toString('base64url')}`;
    const jwt = `${signed}.${firstKey.sign(signed).toString('base64url')}`;
    const message = { ...messageOf(web, firstKey, early), data: { credential: jwt } };
    expect(told(message, answerOf(web))).to.contain('is not one of did:web:post.example');
  });
});
