/** An authenticator without a browser. It makes passkeys of P-256, and confirms its user without asking. */
import { generateKeyPairSync, hash, randomBytes, sign } from 'node:crypto';
import { unescaped } from './console-client.ts';

type Cbor = number | string | Buffer | Map<number | string, Cbor>;

/** The major type and a number below 65,536. */
const head = (major: number, count: number): Buffer => {
  if (count < 24) return Buffer.from([(major << 5) | count]);
  return count < 256
    ? Buffer.from([(major << 5) | 24, count])
    : Buffer.from([(major << 5) | 25, count >> 8, count & 255]);
};

const cbor = (value: Cbor): Buffer => {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === 'string') return Buffer.concat([head(3, value.length), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  const items = [...value].flatMap(([name, one]) => [cbor(name), cbor(one)]);
  return Buffer.concat([head(5, value.size), ...items]);
};

const coseOf = ({ x = '', y = '' }: { x?: string; y?: string }): Buffer => {
  const [kty, alg, crv] = [2, -7, 1];
  const points = [Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')] as const;
  return cbor(
    new Map<number, Cbor>([
      [1, kty],
      [3, alg],
      [-1, crv],
      [-2, points[0]],
      [-3, points[1]],
    ]),
  );
};

const userPresentAndVerified = 0x05;
const withCredential = 0x40;
const noCounter = [0, 0, 0, 0];
const noAaguid = Buffer.alloc(16);

type Asked = { challenge: string };

export const createAuthenticator = (origin: string) => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const rawId = randomBytes(32);
  const id = rawId.toString('base64url');
  const { hostname } = new URL(origin);
  const clientData = (type: string, { challenge }: Asked) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const dataOf = (flags: number) =>
    Buffer.concat([hash('sha256', hostname, 'buffer'), Buffer.from([flags, ...noCounter])]);
  const answer = (response: Record<string, Buffer>): string =>
    JSON.stringify({
      id,
      rawId: id,
      type: 'public-key',
      clientExtensionResults: {},
      response: Object.fromEntries(
        Object.entries(response).map(([name, bytes]) => [name, bytes.toString('base64url')]),
      ),
    });
  return {
    create(asked: Asked): string {
      const authData = Buffer.concat([
        dataOf(userPresentAndVerified | withCredential),
        noAaguid,
        Buffer.from([0, rawId.length]),
        rawId,
        coseOf(publicKey.export({ format: 'jwk' })),
      ]);
      const attestation = new Map<string, Cbor>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ]);
      return answer({
        clientDataJSON: clientData('webauthn.create', asked),
        attestationObject: cbor(attestation),
      });
    },

    get(asked: Asked): string {
      const clientDataJSON = clientData('webauthn.get', asked);
      const authenticatorData = dataOf(userPresentAndVerified);
      const signed = Buffer.concat([authenticatorData, hash('sha256', clientDataJSON, 'buffer')]);
      const signature = sign('sha256', signed, privateKey);
      return answer({ clientDataJSON, authenticatorData, signature });
    },
  };
};

/** The challenge of a page. */
export const challengeIn = (text: string): { ticket: string; options: Asked } => ({
  ticket: /name="ticket" value="([^"]*)"/.exec(text)?.[1] ?? '',
  options: JSON.parse(unescaped(/data-options="([^"]*)"/.exec(text)?.[1] ?? '{}')),
});

/** The hidden fields of a page: of a confirmation, those of the form that waits. */
export const fieldsIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(
      ([, name = '', value = '']) => [name, unescaped(value)],
    ),
  );
