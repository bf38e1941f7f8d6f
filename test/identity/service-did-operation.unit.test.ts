import { expect } from 'chai';
import type { OperationRequest } from '../../contract/operation.ts';
import { makeValidators } from '../../http/validator.ts';
import { ed25519FromSeed } from '../../identity/keys.ts';
import { createResolver } from '../../identity/resolver.ts';
import { type IdentityKey, webhookPublicKey } from '../../identity/service-document.ts';
import { didOperations } from '../../read-api/service-did.ts';

const at = '2026-01-01T00:00:00.000Z';
const until = '2026-06-01T00:00:00.000Z';
const did = 'did:web:letters.example';
const multikey = (n: number) => ed25519FromSeed(Buffer.alloc(32, n)).multikey;
const key = (n: number, more: Partial<IdentityKey>): IdentityKey => ({
  keyId: `key-${n}`,
  purpose: 'credential',
  publicKey: multikey(n),
  state: 'active',
  validFrom: at,
  ...more,
});
const keys = [
  key(1, { state: 'retired', validUntil: until }),
  key(2, {}),
  key(3, { purpose: 'ucan' }),
  key(4, { purpose: 'log', state: 'revoked', validUntil: until, trustedLogSize: 12 }),
  key(5, { purpose: 'log' }),
  key(6, { purpose: 'webhook' }),
];

describe('what the service says of its keys', () => {
  const operations = didOperations({
    identity: () => ({ did, keys }),
    clock: Date.now,
    resolver: createResolver({
      fetchDocument: async () => '',
      own: () => undefined,
      clock: Date.now,
    }),
    checkpointOrigin: 'letters.example',
    continuations: () => ({ dids: [], origins: [] }),
  });
  const serviceDid = operations.find(({ name }) => name === 'service_did');

  it('names the active ones, and those that were retired or revoked', async () => {
    if (serviceDid === undefined) return expect.fail('there is no such operation');
    const { body } = await serviceDid.handle({} as OperationRequest);
    const { didDocument, ...rest } = body as Record<string, unknown>;
    expect(didDocument).to.have.property('id', did);
    expect(rest).to.deep.equal({
      did,
      did_key: `did:key:${multikey(2)}`,
      kid: `${did}#key-2`,
      retired_keys: [
        {
          kid: `${did}#key-1`,
          purpose: 'credential',
          publicKeyMultibase: multikey(1),
          valid_from: at,
          valid_until: until,
          revoked: false,
          trusted_log_size: null,
        },
        {
          kid: `${did}#key-4`,
          purpose: 'log',
          publicKeyMultibase: multikey(4),
          valid_from: at,
          valid_until: until,
          revoked: true,
          trusted_log_size: 12,
        },
      ],
      checkpoint_origin: 'letters.example',
      log_public_key: multikey(5),
      webhook_public_key: multikey(6),
      webhook_public_keys: [webhookPublicKey({ publicKey: multikey(6) })],
      ucan_did: `did:key:${multikey(3)}`,
      former_dids: [],
      former_checkpoint_origins: [],
    });
    const schema = serviceDid.responses[200]?.schema;
    const validate = makeValidators().exact(schema ?? {});
    expect(validate(body), JSON.stringify(validate.errors)).to.equal(true);
    return undefined;
  });
});
