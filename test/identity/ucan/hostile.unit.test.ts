/** The hostile cases by their numbers in facts/identity.md §1.6; 34 and 35 over HTTP, too. */
import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { ed25519FromSeed, type SigningKey } from '../../../identity/keys.ts';
import { blake3CidOf, cidOf } from '../../../identity/ucan/cid.ts';
import type { UcanErrorCode } from '../../../identity/ucan/error.ts';
import { type Capabilities, issueUcan, type UcanPayload } from '../../../identity/ucan/token.ts';
import { createUcanVerifier, type VerifyOptions } from '../../../identity/ucan/verify.ts';
import { defaultLimits } from '../../../limits/table.ts';
import { ecdsaIssuer, respelt } from '../../support/ecdsa-ucan.ts';
import { leastOf, tookMs } from '../../support/least-of.ts';

const keyNamed = (last: number): SigningKey => {
  const seed = Buffer.alloc(32);
  seed[31] = last;
  return ed25519FromSeed(seed);
};
const service = keyNamed(0);
const alice = keyNamed(1);
const bob = keyNamed(2);
const stranger = keyNamed(3);

const now = 1_800_000_000;
const exp = now + 3_600;
const sendCap: Capabilities = {
  'letters://acct_1/': { 'letters/read': [{}], 'letters/send': [{}] },
};
const readCap: Capabilities = { 'letters://acct_1/': { 'letters/read': [{}] } };

type Rest = Partial<Omit<UcanPayload, 'ucv' | 'iss' | 'aud'>>;

const root = (rest: Rest = {}) =>
  issueUcan({ aud: alice.did, exp, cap: sendCap, ...rest }, service);
const child = (parent: { cid: string }, rest: Rest = {}) =>
  issueUcan({ aud: bob.did, exp, cap: readCap, prf: [parent.cid], ...rest }, alice);

const verify = (
  token: string,
  known: { token: string; cid: string }[] = [],
  options: VerifyOptions & { revoked?: string[] } = {},
) =>
  createUcanVerifier({
    limits: defaultLimits,
    nowSeconds: () => now,
    resolveProof: (cid) => known.find((one) => one.cid === cid)?.token,
    isRevoked: (cid) => options.revoked?.includes(cid) ?? false,
    isOwner: (ucan) => ucan.payload.iss === service.did,
  })(token, options);

const encode = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** Any header and payload, signed by the key. */
const forge = (header: unknown, payload: unknown, key: SigningKey = service): string => {
  const input = `${encode(header)}.${encode(payload)}`;
  return `${input}.${key.sign(input).toString('base64url')}`;
};

const header = { alg: 'EdDSA', typ: 'JWT' };
const payload = { aud: alice.did, cap: sendCap, exp, iss: service.did, ucv: '0.10.0' };

const expectRefused = async (
  code: UcanErrorCode,
  token: string,
  known: { token: string; cid: string }[] = [],
  options: VerifyOptions & { revoked?: string[] } = {},
) => {
  const report = await verify(token, known, options);
  expect([report.valid, report.error?.code, report.error?.message]).to.include.members([
    false,
    code,
  ]);
  expect(report.grants).to.deep.equal([]);
  return report;
};

/** A delegation of `cap` under a root of `from`. */
const delegationOf = (cap: Capabilities, from: Capabilities = sendCap) => {
  const parent = root({ cap: from });
  return { parent, token: child(parent, { cap }).token };
};

const refuseDelegation = (cap: Capabilities, from?: Capabilities) => {
  const { parent, token } = delegationOf(cap, from);
  return expectRefused('invalid_delegation', token, [parent]);
};

const ability = (name: string, caveats: object[] = [{}], resource = 'letters://acct_1/') =>
  ({ [resource]: { [name]: caveats } }) as Capabilities;

describe('A hostile UCAN', () => {
  it('0: control: the same chain without malice is accepted', async () => {
    const parent = root();
    const report = await verify(child(parent).token, [parent]);
    expect(report.error).to.equal(undefined);
    expect(report.grants.map(({ ability: name, root: { cid } }) => [name, cid])).to.deep.equal([
      ['letters/read', parent.cid],
    ]);
  });
  it('1: cannot widen read and send to letters/*', () => refuseDelegation(ability('letters/*')));
  it('2: cannot widen to *', () => refuseDelegation(ability('*')));
  it('3: cannot name another account', () =>
    refuseDelegation(ability('letters/read', [{}], 'letters://acct_2/')));
  it('4: cannot name the parent of all accounts', () =>
    refuseDelegation(ability('letters/read', [{}], 'letters://')));
  it('5: cannot climb out of its account', () =>
    refuseDelegation(ability('letters/read', [{}], 'letters://acct_1/../acct_2/')));
  it('6: cannot climb out in percent-encoding', () =>
    refuseDelegation(ability('letters/read', [{}], 'letters://acct_1/%2e%2e/acct_2/')));
  it('6b: cannot hide a slash, and the scheme is lower case', async () => {
    await refuseDelegation(ability('letters/read', [{}], 'letters://acct_1/%2f/x'));
    await refuseDelegation(ability('letters/read', [{}], 'LETTERS://acct_1/'));
  });
  it('7: cannot take a sibling whose name begins alike', async () => {
    const from = ability('letters/read', [{}], 'letters://acct_1/letter/a');
    await refuseDelegation(ability('letters/read', [{}], 'letters://acct_1/letter/a0'), from);
    await refuseDelegation(ability('letters/read', [{}], 'letters://acct_10/'));
  });
  it('8: cannot outlive its proof', async () => {
    const parent = root();
    const { token } = child(parent, { exp: exp + 1 });
    await expectRefused('time_bounds_violation', token, [parent]);
  });
  it('9: cannot be without end under a proof that has one', async () => {
    const parent = root();
    await expectRefused('time_bounds_violation', child(parent, { exp: null }).token, [parent]);
  });
  it('10: cannot begin before its proof', async () => {
    const parent = root({ nbf: now - 10 });
    const { token } = child(parent, { nbf: now - 11 });
    await expectRefused('time_bounds_violation', token, [parent]);
  });
  it('11: cannot leave out nbf when its proof has one', async () => {
    const parent = root({ nbf: now - 10 });
    await expectRefused('time_bounds_violation', child(parent).token, [parent]);
  });
  it('12: is not ready before its time, but for a minute of difference of clocks', async () => {
    await expectRefused('not_ready', root({ nbf: now + 61 }).token);
    expect((await verify(root({ nbf: now + 60 }).token)).valid).to.equal(true);
  });
  it('13: cannot use a proof that was given to somebody else', async () => {
    const parent = root();
    const stolen = issueUcan({ aud: bob.did, exp, cap: readCap, prf: [parent.cid] }, stranger);
    await expectRefused('invalid_delegation', stolen.token, [parent]);
  });
  it('14: names the proofs that are missing', async () => {
    const parent = root();
    const report = await expectRefused('missing_proofs', child(parent).token);
    expect(report.error?.missing).to.deep.equal([parent.cid]);
  });
  it('14b: may name a proof by its blake3 CID, and no other token', async () => {
    const parent = root();
    const named = child({ cid: blake3CidOf(parent.token) }).token;
    const proofs = new Map([[parent.cid, parent.token]]);
    expect((await verify(named, [], { proofs })).valid).to.equal(true);
    await expectRefused('revoked', named, [], { proofs, revoked: [parent.cid] });
    const other = root({ nnc: 'other' });
    const others = new Map([[other.cid, other.token]]);
    await expectRefused('missing_proofs', named, [], { proofs: others });
    const blake3 = 'bafkr4icyq2ikdjxba7bytuxjjgxfhouzdbwutrqio77cb5logrg7osnsli';
    const known = { cid: blake3, token: parent.token };
    await expectRefused('cid_mismatch', child({ cid: blake3 }).token, [known]);
  });
  it('15: cannot have another token under the CID of its proof', async () => {
    const { cid } = root();
    const { token } = root({ nnc: 'other' });
    await expectRefused('cid_mismatch', child({ cid }).token, [{ cid, token }]);
  });
  it('16: dies with a revoked parent', async () => {
    const parent = root();
    const report = await expectRefused('revoked', child(parent).token, [parent], {
      revoked: [parent.cid],
    });
    expect(report.error?.cid).to.equal(parent.cid);
  });
  it('17: cannot do without a signature algorithm', () =>
    expectRefused('unsupported_alg', forge({ alg: 'none', typ: 'JWT' }, payload)));
  it('18: cannot be authenticated with the public key', () => {
    const input = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(payload)}`;
    const mac = createHmac('sha256', service.publicKey.bytes).update(input).digest('base64url');
    return expectRefused('unsupported_alg', `${input}.${mac}`);
  });
  it('19: cannot name an algorithm that is not the one of its key', () =>
    expectRefused('unsupported_alg', forge({ alg: 'ES256', typ: 'JWT' }, payload)));
  it('names its account with the / at the end, as the refusal says', async () => {
    for (const resource of ['letters://acct_1', 'letters://acct_1/../acct_2/', 'letters:acct_1/']) {
      const { error } = await refuseDelegation(ability('letters/send', [{}], resource));
      expect(error?.message, resource).to.contain('letters://<account_id>/, with the / at its end');
    }
  });
  it('20: cannot be its own root', () =>
    expectRefused(
      'invalid_delegation',
      issueUcan({ aud: bob.did, exp, cap: sendCap }, stranger).token,
    ));
  it('21: cannot be of 0.8.1, with its proofs inside', () =>
    expectRefused(
      'unsupported_version',
      forge(
        { ...header, ucv: '0.8.1' },
        { aud: alice.did, att: [], exp, iss: service.did, prf: [root().token] },
      ),
    ));
  it('21b: cannot be of another version in 0.10.0 form', () =>
    expectRefused('unsupported_version', forge(header, { ...payload, ucv: '0.10.1' })));
  it('22: cannot fall back to uav 1.0.0', () =>
    expectRefused('unsupported_version', forge({ ...header, uav: '1.0.0' }, payload)));
  for (const bad of [String(exp), 1e300, exp + 0.5]) {
    it(`23: cannot have the exp ${JSON.stringify(bad)}`, () =>
      expectRefused('incorrect_type', forge(header, { ...payload, exp: bad })));
  }
  it('24: cannot have no caveat object at all', () =>
    expectRefused(
      'incorrect_type',
      forge(header, { ...payload, cap: ability('letters/read', []) }),
    ));
  it('25: cannot drop a caveat', () =>
    refuseDelegation(ability('letters/send'), ability('letters/send', [{ countries: ['DE'] }])));
  it('26: cannot raise a maximum', async () => {
    const from = ability('letters/send', [{ max_total_minor: 500, max_letters: 2 }]);
    await refuseDelegation(
      ability('letters/send', [{ max_total_minor: 501, max_letters: 2 }]),
      from,
    );
    await refuseDelegation(
      ability('letters/send', [{ max_total_minor: 500, max_letters: 3 }]),
      from,
    );
    const lower = ability('letters/send', [{ max_total_minor: 499, max_letters: 1 }]);
    const { parent, token } = delegationOf(lower, from);
    expect((await verify(token, [parent])).valid).to.equal(true);
  });
  it('26b: cannot add a country, or an alternative', async () => {
    const from = ability('letters/send', [{ countries: ['DE'] }]);
    await refuseDelegation(ability('letters/send', [{ countries: ['DE', 'FR'] }]), from);
    await refuseDelegation(ability('letters/send', [{ countries: ['DE'] }, {}]), from);
  });
  it('27: cannot be too deep', async () => {
    const chain = [root()];
    const keys = [alice, bob];
    for (let depth = 1; depth < 10; depth++) {
      const [from, to] = depth % 2 === 1 ? keys : keys.toReversed();
      const parent = chain.at(-1)?.cid ?? '';
      chain.push(
        issueUcan({ aud: to?.did ?? '', exp, cap: readCap, prf: [parent] }, from as SigningKey),
      );
    }
    expect((await verify(chain[7]?.token ?? '', chain)).valid).to.equal(true);
    await expectRefused('too_deep', chain[8]?.token ?? '', chain);
    await expectRefused('too_deep', chain[9]?.token ?? '', chain);
  });
  it('28: cannot have too many proofs', async () => {
    const parents = Array.from({ length: 40 }, (_, n) => root({ nnc: `${n}` }));
    const prf = (count: number) => ({ prf: parents.slice(0, count).map(({ cid }) => cid) });
    const known = parents;
    await expectRefused('too_many_proofs', child(root(), prf(40)).token, known);
    await expectRefused('too_many_proofs', child(root(), prf(33)).token, known);
    expect((await verify(child(root(), prf(32)).token, known)).valid).to.equal(true);
  });
  it('29: cannot be of 20 kB', () =>
    expectRefused('malformed', root({ fct: { filler: 'x'.repeat(20_000) } }).token));
  it('30: cannot say a key twice', async () => {
    const twice = JSON.stringify(payload).replace('"cap":', '"cap":{},"cap":');
    await expectRefused('malformed', forge(header, twice));
    await expectRefused('malformed', forge(header, JSON.stringify(payload, null, 1)));
  });
  it('31: cannot live on an expired proof', async () => {
    const parent = root({ exp: now - 1 });
    const report = await expectRefused('expired', child(parent).token, [parent]);
    expect(report.error?.cid).to.equal(parent.cid);
  });
  it('32: cannot have a second signature for the same bytes', () => {
    const [head = '', body = '', tail = ''] = root().token.split('.');
    const signature = Buffer.from(tail, 'base64url');
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    const s = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString('hex')}`) + order;
    const raised = Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse();
    const other = Buffer.concat([signature.subarray(0, 32), raised]).toString('base64url');
    return expectRefused('signature', `${head}.${body}.${other}`);
  });
  it('33: cannot be written with other trailing bits, padding or parts', async () => {
    const { token } = root();
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = alphabet[alphabet.indexOf(token.at(-1) ?? '') + 1];
    await expectRefused('malformed', `${token.slice(0, -1)}${last}`);
    await expectRefused('malformed', `${token}==`);
    await expectRefused('malformed', `${token}.x`);
  });
  it('34: cannot be shown to another audience where one is asked for', async () => {
    await expectRefused('wrong_audience', root().token, [], { audiences: [service.did] });
    const report = await verify(root().token, [], { audiences: [alice.did] });
    expect(report.valid).to.equal(true);
  });
  it('has no header field but alg and typ', () =>
    expectRefused('malformed', forge({ ...header, kid: 'x' }, payload)));
  it('cannot have an issuer whose key is not in its DID', () =>
    expectRefused('unsupported_did', forge(header, { ...payload, iss: 'did:web:example.com' })));
  it('cannot have more caveats than can be compared', () =>
    expectRefused(
      'malformed',
      root({
        cap: ability(
          'letters/read',
          Array.from({ length: 65 }, () => ({})),
        ),
      }).token,
    ));
});

describe('A UCAN that means to cost much', () => {
  /** Eight levels of four tokens, each passing on all of the level before, again and again. */
  it('is judged within a second', async () => {
    const all = (count: number): Capabilities => ({
      'ucan:*': { 'ucan/*': Array.from({ length: count }, () => ({})) },
    });
    const keys = [alice, bob];
    let level = Array.from({ length: 4 }, (_, n) => root({ nnc: `${n}` }));
    const known = [...level];
    for (let depth = 1; depth < 7; depth++) {
      const [from, to] = depth % 2 === 1 ? keys : keys.toReversed();
      const prf = level.map(({ cid }) => cid);
      const below = level;
      level = below.map((_, n) =>
        issueUcan({ aud: to?.did ?? '', exp, cap: all(10), nnc: `${n}`, prf }, from as SigningKey),
      );
      known.push(...level);
    }
    const prf = level.map(({ cid }) => cid);
    const leaf = issueUcan({ aud: bob.did, exp, cap: all(8), prf }, alice);
    const judge = async (): Promise<void> => {
      const report = await verify(leaf.token, known);
      // One grant for each capability of the four roots, on however many ways it comes.
      expect([report.error?.code, report.grants.length]).to.deep.equal([undefined, 8]);
    };
    expect(await leastOf(1_000, () => tookMs(judge))).to.be.below(1_000);
  });
  it('is compared in long lists within a second', async () => {
    const list = (last: string) => [...Array.from({ length: 2_500 }, () => 'a'), last];
    const cap = (value: string[]): Capabilities => ({
      'mailto:a@example.com': { 'email/send': [{ to: value }] },
    });
    const parents = Array.from({ length: 30 }, (_, n) =>
      root({ nnc: `${n}`, cap: cap(list('c')) }),
    );
    parents.push(root({ cap: cap(list('b')) }));
    const prf = parents.map(({ cid }) => cid);
    const { token } = child({ cid: '' }, { cap: cap(list('b').toReversed()), prf });
    const compare = async (): Promise<void> => {
      expect((await verify(token, parents)).error?.code).to.equal(undefined);
    };
    expect(await leastOf(1_000, () => tookMs(compare))).to.be.below(1_000);
  });
  it('cannot be nested deeper than can be compared', async () => {
    const nested = (depth: number) =>
      `{"aud":"${alice.did}","cap":{},"exp":${exp},"fct":{"a":${'['.repeat(depth)}${']'.repeat(depth)}},"iss":"${service.did}","ucv":"0.10.0"}`;
    await expectRefused('malformed', forge(header, nested(63)));
    await expectRefused('malformed', forge(header, nested(4_000)));
    expect((await verify(forge(header, nested(62)))).valid).to.equal(true);
  });
  it('cannot have more caveats in its chain than can be compared', async () => {
    const many = (n: number) => ({
      nnc: `${n}`,
      cap: ability(
        'letters/read',
        Array.from({ length: 64 }, () => ({})),
      ),
    });
    const parents = [0, 1, 2, 3].map((n) => root(many(n)));
    const { token } = child({ cid: '' }, { prf: parents.map(({ cid }) => cid) });
    await expectRefused('malformed', token, parents);
    const fewer = parents.slice(0, 3);
    const right = child({ cid: '' }, { prf: fewer.map(({ cid }) => cid) });
    expect((await verify(right.token, fewer)).valid).to.equal(true);
  });
});

describe('A UCAN that is right', () => {
  it('writes abilities in any case', async () => {
    const { parent, token } = delegationOf(ability('LETTERS/Read'));
    expect((await verify(token, [parent])).grants[0]?.ability).to.equal('letters/read');
  });
  it('may be narrowed to a part of the account', async () => {
    const cap = ability('letters/read', [{}], 'letters://acct_1/letter/7f');
    const { parent, token } = delegationOf(cap);
    expect((await verify(token, [parent])).valid).to.equal(true);
  });
  it('gathers what several proofs give', async () => {
    const parents = [root({ cap: readCap }), root({ cap: ability('letters/send') })];
    const { token } = child({ cid: '' }, { cap: sendCap, prf: parents.map(({ cid }) => cid) });
    expect((await verify(token, parents)).valid).to.equal(true);
  });
  it('passes on all of its proofs with ucan:./*, and no more', async () => {
    const parent = root({ cap: readCap });
    const all = child(parent, { cap: { 'ucan:./*': { 'ucan/*': [{}] } } });
    const report = await verify(all.token, [parent]);
    expect(report.grants.map(({ ability: name }) => name)).to.deep.equal(['letters/read']);
    const wider = issueUcan({ aud: stranger.did, exp, cap: sendCap, prf: [all.cid] }, bob);
    await expectRefused('invalid_delegation', wider.token, [parent, all]);
  });
  it('counts letters on every token that limits them', async () => {
    const limit = (letters: number) => ability('letters/send', [{ max_letters: letters }]);
    const { parent, token } = delegationOf(limit(2), limit(5));
    const report = await verify(token, [parent]);
    expect(report.grants[0]?.counters).to.deep.equal([
      { cid: parent.cid, maxLetters: 5 },
      { cid: cidOf(token), maxLetters: 2 },
    ]);
  });
  it('is of the same bytes and CID as the golden ones', () => {
    const golden = issueUcan(
      { aud: alice.did, exp: 4_102_444_800, cap: sendCap, nnc: 'root-1' },
      service,
    );
    expect(golden.cid).to.equal('bafkreie4vnvbxzc7vqtnnlpn45cutybv7tb5gykekhbruls3aknlm6ehrm');
    const next = child(golden, { exp: 4_102_444_700, nnc: 'd-1' });
    expect(next.cid).to.equal('bafkreie5fss56fqxhdw3ouohbplvu6akiooru65xljitcj7ltil347putq');
  });

  for (const alg of ['ES256', 'ES256K', 'ES384'] as const) {
    it(`takes both signatures that ${alg} has for a token as the same token`, async () => {
      const middle = ecdsaIssuer(alg);
      const given = issueUcan({ aud: middle.did, exp, cap: sendCap }, service);
      const cap = { 'letters://acct_1/': { 'letters/send': [{ max_letters: 1 }] } };
      const one = middle.issue({ aud: bob.did, exp, cap, prf: [given.cid] });
      const other = respelt(alg, one.token);
      expect(other.cid).to.not.equal(one.cid);
      const reports = [await verify(one.token, [given]), await verify(other.token, [given])];
      expect(reports.map(({ valid }) => valid)).to.deep.equal([true, true]);
      const [first, second] = reports.map(({ grants }) => grants[0]?.counters);
      expect(first).to.have.lengthOf(1);
      expect(second).to.deep.equal(first);
      for (const revoked of [one.cid, other.cid]) {
        await expectRefused('revoked', one.token, [given], { revoked: [revoked] });
        await expectRefused('revoked', other.token, [given], { revoked: [revoked] });
      }
      const leaf = issueUcan({ aud: stranger.did, exp, cap, prf: [other.cid] }, bob);
      await expectRefused('revoked', leaf.token, [given, other], { revoked: [one.cid] });
    });
  }
});
