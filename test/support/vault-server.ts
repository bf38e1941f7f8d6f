/**
 * The Transit engine of Vault and OpenBao over HTTP, for tests: encrypt, decrypt and rotate with the answers and error
 * bodies of the real one. `TEST_VAULT_ADDR` and `TEST_VAULT_TOKEN` name a real server instead, with a Transit engine at
 * `transit` in which the token may make keys.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export type VaultServer = {
  address: string;
  token: string;
  /** Makes a new version of a key. */
  rotate(key: string): Promise<void>;
  close(): Promise<void>;
};

const ivBytes = 12;
const tagBytes = 16;

type Body = { plaintext?: string; ciphertext?: string; associated_data?: string };
type Answer = { status: number; data?: object; errors?: string[] };

const readJson = async (request: IncomingMessage): Promise<Body> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return text === '' ? {} : (JSON.parse(text) as Body);
};

const badRequest = (error: string): Answer => ({ status: 400, errors: [error] });

/** The engine: keys by name, each with its versions. */
const createTransit = () => {
  const keys = new Map<string, Buffer[]>();
  const aadOf = ({ associated_data: data = '' }: Body): Buffer => Buffer.from(data, 'base64');

  const encrypt = (name: string, body: Body): Answer => {
    // As the real one: the first use makes the key.
    const versions = keys.get(name) ?? [randomBytes(32)];
    keys.set(name, versions);
    if (body.plaintext === undefined) return badRequest('missing plaintext to encrypt');
    const iv = randomBytes(ivBytes);
    const cipher = createCipheriv('aes-256-gcm', versions.at(-1) as Buffer, iv);
    cipher.setAAD(aadOf(body));
    const sealed = Buffer.concat([
      iv,
      cipher.update(Buffer.from(body.plaintext, 'base64')),
      cipher.final(),
      cipher.getAuthTag(),
    ]);
    const ciphertext = `vault:v${versions.length}:${sealed.toString('base64')}`;
    return { status: 200, data: { ciphertext, key_version: versions.length } };
  };

  const decrypt = (name: string, body: Body): Answer => {
    const versions = keys.get(name);
    if (!versions) return badRequest('encryption key not found');
    const [, version, sealed] = /^vault:v(\d+):(.+)$/.exec(body.ciphertext ?? '') ?? [];
    const key = versions[Number(version) - 1];
    if (!key || sealed === undefined) return badRequest('invalid ciphertext: no prefix');
    const bytes = Buffer.from(sealed, 'base64');
    const end = bytes.length - tagBytes;
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes));
    decipher.setAAD(aadOf(body));
    decipher.setAuthTag(bytes.subarray(end));
    try {
      const plain = Buffer.concat([
        decipher.update(bytes.subarray(ivBytes, end)),
        decipher.final(),
      ]);
      return { status: 200, data: { plaintext: plain.toString('base64') } };
    } catch {
      return badRequest('cipher: message authentication failed');
    }
  };

  return (path: string, body: Body): Answer => {
    const [, action, name = ''] = /^\/v1\/transit\/(encrypt|decrypt)\/([\w-]+)$/.exec(path) ?? [];
    if (action === 'encrypt') return encrypt(name, body);
    if (action === 'decrypt') return decrypt(name, body);
    const [, rotated] = /^\/v1\/transit\/keys\/([\w-]+)\/rotate$/.exec(path) ?? [];
    if (rotated === undefined) return { status: 404, errors: ['no handler for route'] };
    keys.get(rotated)?.push(randomBytes(32));
    return { status: 200, data: {} };
  };
};

const rotateBy = (address: string, token: string) => async (key: string) => {
  const answer = await fetch(`${address}/v1/transit/keys/${key}/rotate`, {
    method: 'POST',
    headers: { 'x-vault-token': token },
  });
  if (!answer.ok) throw new Error(`${key} was not rotated: ${answer.status}`);
};

export const startVaultServer = async (): Promise<VaultServer> => {
  const { TEST_VAULT_ADDR: real, TEST_VAULT_TOKEN: realToken = '' } = process.env;
  if (real) {
    return {
      address: real,
      token: realToken,
      rotate: rotateBy(real, realToken),
      close: async () => {},
    };
  }
  const token = `hvs.${randomBytes(12).toString('hex')}`;
  const transit = createTransit();
  const server = createServer(async (request, response) => {
    const body = await readJson(request);
    const isAllowed = request.headers['x-vault-token'] === token;
    const { status, data, errors } = isAllowed
      ? transit(request.url ?? '', body)
      : { status: 403, data: undefined, errors: ['permission denied'] };
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(errors ? { errors } : { request_id: 'test', data }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    address,
    token,
    rotate: rotateBy(address, token),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
};
