import { expect } from 'chai';
import type { Caller } from '../../contract/operation.ts';
import { commandMaker } from '../../http/command-of.ts';

const caller: Caller = { accountId: 'acct_1', keyId: 'key_1', scope: 'full', test: false };
const asked = {
  caller,
  address: '192.0.2.1',
  body: { b: 1, a: 2 },
  params: undefined,
  idempotencyKey: 'k',
};
const holding = (cid: string): Caller => ({
  ...caller,
  keyId: `ucan:${cid}`,
  ucan: {
    cid,
    cids: [cid],
    tokens: [],
    audience: 'did:key:z',
    permits: [],
    expiresAtMs: undefined,
    invocation: false,
  },
});
const digest = (text: string): string => `request ${text}`;
const send = commandMaker({ name: 'send_letter' }, digest);

describe('The command of a request', () => {
  it('is the same as in the versions before: a request may be repeated after an upgrade', () => {
    expect(send(asked)).to.deep.equal({
      commandId: '55217a9a-99e1-5fae-a87d-7e1e879c6ac9',
      actor: 'key:key_1',
      requestHash: 'request 7wm2YUqYlGvW3cbq5JLGsZDjHEc8BppLLet9QRvEo1Q',
      repeatable: true,
    });
    const signup = commandMaker({ name: 'signup', countsAs: 'register' }, digest);
    expect(signup({ ...asked, caller: undefined })).to.include({
      commandId: '8720ba2c-61d2-587d-8451-ebb6f62c660b',
      actor: 'anonymous',
    });
    const createKey = commandMaker({ name: 'create_key', answersSecret: true }, digest);
    expect(createKey({ ...asked, caller: holding('bafk') })).to.include({
      commandId: 'ec67aa66-d30d-5db1-8fe6-3f9bade123a7',
      actor: 'ucan:bafk',
    });
  });

  it('is like no other without an Idempotency-Key', () => {
    const without = { ...asked, idempotencyKey: undefined };
    const [one, other] = [send(without), send(without)];
    expect(one.repeatable).to.equal(false);
    expect(one.commandId).not.to.equal(other.commandId);
    expect(one.requestHash).not.to.equal(other.requestHash);
  });

  it('is that of the account, whichever key or token is shown', () => {
    const { commandId } = send(asked);
    expect(send({ ...asked, caller: { ...caller, keyId: 'key_2' } }).commandId).to.equal(commandId);
    expect(send({ ...asked, caller: holding('bafk') }).commandId).to.equal(commandId);
    const foreign = { ...caller, accountId: 'acct_2' };
    expect(send({ ...asked, caller: foreign }).commandId).not.to.equal(commandId);
  });

  it('is that of the one key or token where the answer holds a secret', () => {
    const createKey = commandMaker({ name: 'create_key', answersSecret: true }, digest);
    const other = { ...caller, keyId: 'key_2' };
    const ids = [caller, other, holding('bafk'), holding('bafl')].map(
      (one) => createKey({ ...asked, caller: one }).commandId,
    );
    expect(new Set(ids).size).to.equal(4);
  });

  it('is that of the wallet where the answer holds a secret, whichever payment it sends', () => {
    const createKey = commandMaker({ name: 'create_key', answersSecret: true }, digest);
    const paying = (keyId: string) =>
      createKey({ ...asked, caller: { ...caller, keyId, wallet: true } }).commandId;
    expect(paying('x402:one')).to.equal(paying('x402:two'));
    expect(paying('x402:one')).not.to.equal(createKey(asked).commandId);
  });

  it('is that of the account for a rotation, as in the versions before', () => {
    const rotation = { name: 'rotate_key', answersSecret: true, replacedKey: true };
    const rotate = commandMaker(rotation, digest);
    const others = commandMaker({ name: 'rotate_key' }, digest);
    for (const keyId of ['key_1', 'key_2']) {
      const { commandId } = rotate({ ...asked, caller: { ...caller, keyId } });
      expect(commandId).to.equal(others(asked).commandId);
    }
  });

  it('is that of the address where there is no caller', () => {
    const anonymous = { ...asked, caller: undefined };
    expect(send(anonymous).commandId).to.equal(send(anonymous).commandId);
    const elsewhere = { ...anonymous, address: '192.0.2.2' };
    expect(send(elsewhere).commandId).not.to.equal(send(anonymous).commandId);
  });
});
