import { expect } from 'chai';
import { initialState } from '../../commands/accounts/account.ts';
import { createCredentialLines, keyIdsOf } from '../../commands/guards/credential-line.ts';
import type { Caller } from '../../contract/operation.ts';
import { persistentMap } from '../../ground/persistent-map.ts';
import { specTime } from '../support/decider-spec.ts';
import { leastOf, tookMs } from '../support/least-of.ts';

/** An account whose key `key_child` ends with `key_maker`, which made it. */
const account = {
  ...initialState(),
  keys: persistentMap([
    ['key_maker', { keyId: 'key_maker' }],
    ['key_child', { keyId: 'key_child', madeBy: 'key_maker' }],
    ['key_of_wallet', { keyId: 'key_of_wallet', madeBy: 'x402:payment' }],
  ] as never),
};
const handler = { load: async () => ({ state: account, version: 0n, position: 0n }) };
const lines = createCredentialLines({ handler: handler as never });

const caller = (more: Partial<Caller>): Caller => ({
  accountId: 'acct_1',
  keyId: 'key_child',
  scope: 'full',
  test: false,
  ...more,
});
const bounds = { keys: ['key_maker'], ucans: ['root', 'leaf'], expiresAtMs: undefined };

describe('the line of a credential', () => {
  it('begins with the key itself, also where the key ends with its maker', async () => {
    const ids = keyIdsOf(caller({ bounds }));
    const { own, line } = await lines.load('acct_1', ids);
    expect(own[0]).to.equal('key_child');
    expect(line).to.include.members(['key_child', 'key_maker', 'ucan:root', 'ucan:leaf']);
  });

  it('begins with the UCAN itself', async () => {
    const ucan = { cid: 'leaf' } as Caller['ucan'];
    const ids = keyIdsOf(caller({ keyId: 'ucan:leaf', bounds, ...(ucan ? { ucan } : {}) }));
    const { own, line } = await lines.load('acct_1', ids);
    expect(own[0]).to.equal('ucan:leaf');
    expect(line).to.include.members(['key_maker', 'ucan:root']);
  });

  it('names no key for a wallet, and the wallet for a key that the wallet made', async () => {
    const ids = keyIdsOf(caller({ wallet: true }));
    expect(lines.known('acct_1', ids)).to.deep.equal({ own: [], line: ['wallet'] });
    const { line } = await lines.load('acct_1', ['key_of_wallet']);
    expect(line).to.have.members(['key_of_wallet', 'wallet']);
  });

  it('is found quickly after 20,000 rotations', async () => {
    const mostMs = 1_000;
    const rotated = Array.from({ length: 20_000 }, (_, n) => [
      `key_${n}`,
      { keyId: `key_${n}`, revoked: false, ...(n === 0 ? {} : { rotatedFrom: `key_${n - 1}` }) },
    ]);
    const keys = persistentMap(rotated as never);
    const load = async () => ({ state: { ...account, keys }, version: 0n, position: 0n });
    const many = createCredentialLines({ handler: { load } as never });
    const took = await leastOf(mostMs, () =>
      tookMs(async () => {
        const { own, line } = await many.load('acct_1', ['key_19999']);
        expect([own, line]).to.deep.equal([['key_0'], ['key_0']]);
        const fault = await many.approverFault('acct_1', 'key_19999', 'key_other', specTime);
        expect(fault).to.equal(undefined);
      }),
    );
    expect(took).to.be.below(mostMs);
  });
});
