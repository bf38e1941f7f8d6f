import { expect } from 'chai';
import {
  establishIdentity,
  moveIdentity,
  rotateKeys,
} from '../../commands/identity/service-identity.ts';
import type { ServiceIdentity } from '../../events/service-identity.ts';
import { continuationsOf } from '../../identity/continuation.ts';
import { ed25519FromSeed } from '../../identity/keys.ts';
import { kidOf } from '../../identity/service-did.ts';
import { presentServiceDid } from '../../presenters/did.ts';
import { issueEventCredential } from '../support/issue-credential.ts';
import { fencesOf, guide } from './guides.ts';

type Key = ReturnType<typeof ed25519FromSeed>;
type Message = { id: string; subject: string; data: { credential: string } };
type Module = {
  createVerifier(...answers: object[]): (message: Message) => { sequence: number } | undefined;
};

const credentialSchema = undefined;
const [first, second] = [1, 2].map((n) => ed25519FromSeed(Buffer.alloc(32, n))) as [Key, Key];
const stream = 'letter-8f3d2a10-5c55-4f0e-9a37-2f6c1f6f0001';

const keysOf = (key: Key, n: number) =>
  (['credential', 'ucan', 'log', 'webhook'] as const).map((purpose, index) => ({
    keyId: `${purpose}-${n}`,
    purpose,
    publicKey:
      purpose === 'credential'
        ? key.multikey
        : ed25519FromSeed(Buffer.alloc(32, 10 * n + index)).multikey,
  }));

const established = (webDid: string | undefined): ServiceIdentity => {
  const [event] = establishIdentity(
    { status: 'none' },
    {
      type: 'EstablishIdentity',
      webDid,
      keys: keysOf(first, 1),
      credentialSchema,
      validFrom: '2026-01-01T00:00:00.000Z',
    },
  );
  return event?.data as ServiceIdentity;
};

const rotated = (identity: ServiceIdentity): ServiceIdentity => {
  const at = '2026-06-01T00:00:00.000Z';
  const [event] = rotateKeys(
    { status: 'established', identity },
    { type: 'RotateKeys', replacements: keysOf(second, 2), credentialSchema, at },
  );
  return event?.data as ServiceIdentity;
};

const moved = (identity: ServiceIdentity, webDid: string): ServiceIdentity => {
  const [event] = moveIdentity(
    { status: 'established', identity },
    { type: 'MoveIdentity', webDid, credentialSchema },
  );
  return event?.data as ServiceIdentity;
};

/** The answer of `service_did` to a service that had these identities, the present one last. */
const answerOf = (...history: ServiceIdentity[]): ReturnType<typeof presentServiceDid> => {
  const present = history.at(-1);
  if (!present) throw new Error('there is no identity');
  const signer = (keyId: string) => (keyId.endsWith('-1') ? first : second);
  const statements = continuationsOf(history, 'letters.local', signer);
  const at = Date.parse('2026-11-01T00:00:00.000Z');
  return JSON.parse(JSON.stringify(presentServiceDid(present, 'letters.local', at, statements)));
};

const messageOf = ({ did }: ServiceIdentity, key: Key, at: string): Message => {
  const id = '11111111-1111-4111-8111-111111111111';
  const kid = kidOf(did, {
    keyId: key === first ? 'credential-1' : 'credential-2',
    publicKey: key.multikey,
  });
  const event = { id, stream, version: 0n, type: 'LetterQueued', data: {}, at };
  const { jwt } = issueEventCredential(
    { ...event, hash: 'A'.repeat(43) },
    { logIndex: 5, previous: undefined, account: undefined },
    { did, kid, sign: (data) => key.sign(data) },
  );
  return { id: `urn:uuid:${id}`, subject: stream, data: { credential: jwt } };
};

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
    const local = established(undefined);
    const renewed = rotated(local);
    const web = moved(renewed, 'did:web:letters.example');
    const answer = answerOf(local, renewed, web);
    expect(told(messageOf(local, first, early), answer)).to.equal('accepted');
    expect(told(messageOf(renewed, second, late), answer)).to.equal('accepted');
    expect(told(messageOf(web, second, late), answer)).to.equal('accepted');
    expect(told(messageOf(local, first, late), answer)).to.contain('its key was retired');
    expect(told(messageOf(local, first, early), answerOf(local, renewed))).to.equal('accepted');
  });

  it('accepts a former did:key only if the key itself says that the service goes on', () => {
    const local = established(undefined);
    const web = moved(local, 'did:web:letters.example');
    const answer = answerOf(local, web);
    const message = messageOf(local, first, early);
    const other = answerOf(local, moved(local, 'did:web:other.example'));
    const [former] = answer.former_dids ?? [];
    const [header, payload] = former?.statement.split('.') ?? [];
    const forged = { ...former, statement: `${header}.${payload}.${'A'.repeat(86)}` };
    for (const former_dids of [[], other.former_dids, [forged]]) {
      expect(told(message, { ...answer, former_dids })).to.contain("is not the service's");
    }
    const unsaid = { ...answerOf(local, rotated(local)), former_dids: [] };
    expect(told(message, unsaid)).to.contain("is not the service's");
  });

  it('accepts a former did:web with an answer from before the move, and not without', () => {
    const web = rotated(established('did:web:letters.example'));
    const there = moved(web, 'did:web:post.example');
    const [earlier, answer] = [answerOf(web), answerOf(web, there)];
    for (const [key, at] of [
      [first, early],
      [second, late],
    ] as const) {
      const message = messageOf(web, key, at);
      expect(told(message, answer)).to.contain("is not the service's");
      expect(told(message, answer, earlier)).to.equal('accepted');
    }
    expect(told(messageOf(there, second, late), answer, earlier)).to.equal('accepted');
  });

  it('accepts no key that only an earlier answer names', () => {
    const web = established('did:web:letters.example');
    const stranger = { ...established('did:web:post.example'), keys: rotated(web).keys.slice(-4) };
    const message = messageOf(web, first, early);
    expect(told(message, answerOf(stranger), answerOf(web))).to.contain("is not the service's");
  });

  it('accepts a key under its own name only', () => {
    const web = established('did:web:letters.example');
    const { credential } = messageOf(web, first, early).data;
    const [header, payload = ''] = credential.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const other = Buffer.from(JSON.stringify({ ...claims, iss: 'did:web:post.example' }));
    const signed = `${header}.${other.toString('base64url')}`;
    const jwt = `${signed}.${first.sign(signed).toString('base64url')}`;
    const message = { ...messageOf(web, first, early), data: { credential: jwt } };
    expect(told(message, answerOf(web))).to.contain('is not one of did:web:post.example');
  });
});
