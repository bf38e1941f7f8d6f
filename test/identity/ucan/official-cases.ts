/**
 * The 55 official cases for 0.10.0 (ucan-wg/conformance-tests, branch add-0.10.0-fixtures,
 * fixtures/0.10.0), as the payloads they consist of. Ed25519 is deterministic, so that signing them with
 * the published test keys makes the official tokens again; `signature` begins as the official one does.
 */
import { ed25519FromSeed } from '../../../identity/keys.ts';
import { cidOf } from '../../../identity/ucan/cid.ts';
import type { UcanErrorCode } from '../../../identity/ucan/error.ts';
import type { Capabilities, Caveat } from '../../../identity/ucan/token.ts';

const keyOf = (base64: string) => ed25519FromSeed(Buffer.from(base64, 'base64').subarray(0, 32));

export const alice = keyOf('U+bzp2GaFQHso587iSFWPSeCzbSfn/CbNHEz7ilKRZ0=');
export const bob = keyOf('G4+QCX1b3a45IzQsQd4gFMMe0UB1UOx9bCsh8uOiKLE=');
const mallory = keyOf('LR9AL2MYkMARuvmV3MJV8sKvbSOdBtpggFCW8K62oZA=');

const far = 9_246_211_200;
const farther = 14_069_142_000;

type Payload = Record<string, unknown>;
type Key = typeof alice;
type Proof = { payload: Payload };

export type OfficialCase = {
  name: string;
  token: string;
  proofs: Map<string, string>;
  /** Absent: it is valid. */
  code?: UcanErrorCode;
  /** How the official signature begins. */
  signature?: string;
};

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const write = (
  payload: Payload,
  key: Key,
  header: object = { alg: 'EdDSA', typ: 'JWT' },
): string => {
  const input = `${encode(header)}.${encode(payload)}`;
  return `${input}.${key.sign(input).toString('base64url')}`;
};

const ucv = '0.10.0';
/** From Alice to Bob; the keys in the order in which the official tokens have them. */
const fromAlice = (rest: Payload = {}): Payload =>
  ordered({ aud: bob.did, cap: {}, exp: null, iss: alice.did, ucv, ...rest });
const ordered = (payload: Payload): Payload =>
  Object.fromEntries(Object.entries(payload).sort(([a], [b]) => (a < b ? -1 : 1)));

const valid = (name: string, rest: Payload, signature: string): OfficialCase => ({
  name,
  token: write(fromAlice(rest), alice),
  proofs: new Map(),
  signature,
});

/** From Bob to Mallory, with proofs from Alice. */
const delegated = (
  name: string,
  rest: Payload,
  proofs: Payload[],
  more: { signature?: string; code?: UcanErrorCode } = {},
): OfficialCase => {
  const tokens = proofs.map((proof) => write(fromAlice(proof), alice));
  const prf = tokens.map(cidOf);
  const payload = ordered({
    aud: mallory.did,
    cap: {},
    exp: null,
    iss: bob.did,
    ucv,
    prf,
    ...rest,
  });
  return {
    name,
    token: write(payload, bob),
    proofs: new Map(tokens.map((token) => [cidOf(token), token])),
    ...more,
  };
};

const refuted = (
  name: string,
  code: UcanErrorCode,
  signature: string,
  payload: Payload,
  header?: object,
): OfficialCase => ({
  name,
  code,
  signature,
  token: write(payload, alice, header),
  proofs: new Map(),
});

/** From Alice to Bob with a proof from Alice to Bob. */
const outOfTime = (name: string, rest: Payload, proof: Proof, signature: string): OfficialCase => {
  const token = write(fromAlice(proof.payload), alice);
  const code = 'time_bounds_violation';
  return {
    ...refuted(name, code, signature, fromAlice({ ...rest, prf: [cidOf(token)] })),
    proofs: new Map([[cidOf(token), token]]),
  };
};

const email = (name: string, ...caveats: Caveat[]): Capabilities => ({
  [`mailto:${name}@email.com`]: { 'email/send': caveats.length === 0 ? [{}] : caveats },
});
const templates = (...names: string[]) => ({ templates: names });

const accepted: OfficialCase[] = [
  valid('UCAN has not expired', { exp: far }, 'pkJxQke-FDVB1Eg_'),
  valid('UCAN is ready to be used', { nbf: 1 }, '-yaM1x8v4jIvi5ld'),
  delegated('UCAN has same time bounds as proof', { exp: far, nbf: 1 }, [{ exp: far, nbf: 1 }], {
    signature: 'C7ceqIwzJYqC5TQf',
  }),
  delegated('UCAN expires before proof', { exp: far }, [{ exp: farther }], {
    signature: 'iWzUN38aE9Kid_f3',
  }),
  delegated('UCAN active after proof', { nbf: 2 }, [{ nbf: 1 }], { signature: 'X9vegej9T07LaA5w' }),
  valid('UCAN has a well-formed capability', { cap: email('alice') }, 'mWmgl4OyAl_OKCB0'),
  valid(
    'UCAN has a well-formed capability with a caveat',
    { cap: email('alice', templates('marketing')) },
    'NWWHxBFHSW68Ivbe',
  ),
  valid(
    'UCAN has multiple well-formed capabilities',
    { cap: { ...email('alice'), ...email('marketing', templates('marketing')) } },
    'f-xu84oUX45_2ncr',
  ),
  delegated('UCAN issuer matches proof audience', {}, [{}], { signature: '0BPu7MCETzLUwNqJ' }),
  delegated('UCAN has a delegated capability', { cap: email('alice') }, [{ cap: email('alice') }], {
    signature: 'fwWnOgRSYryzvkvL',
  }),
  delegated(
    'UCAN merges delegated capabilities',
    { cap: { ...email('alice'), ...email('marketing') } },
    [{ cap: email('alice') }, { cap: email('marketing') }],
    { signature: '2C9kEs6nJmfabHn4' },
  ),
  delegated(
    'UCAN capability caveats equal to proof caveats',
    { cap: email('alice', templates('newsletter')) },
    [{ cap: email('alice', templates('newsletter')) }],
    { signature: '_kh7_uU71DHQBksn' },
  ),
  delegated(
    'UCAN capability attenuates existing caveats',
    { cap: email('marketing', templates('newsletter')) },
    [{ cap: email('marketing', templates('newsletter', 'marketing')) }],
    { signature: 'l3qeyfVGZRpDCZRM' },
  ),
  delegated(
    'UCAN capability attenuates from no caveats',
    { cap: email('marketing', templates('newsletter')) },
    [{ cap: email('marketing') }],
  ),
  valid('UCAN has a fact', { fct: { challenge: 'abcdef' } }, 'uhk0MI1CyB3nEu4R'),
];

const header = { alg: 'EdDSA', typ: 'JWT' };
const { did: aud } = bob;
const { did: iss } = alice;
const wrong = 'incorrect_type';
const absent = 'missing_field';

const malformed: OfficialCase[] = [
  refuted('UCAN has expired', 'expired', 'uVbv1qjgo20f5z4x', fromAlice({ exp: 1 })),
  refuted('UCAN is not ready to be used', 'not_ready', 'KziqvLp9cWEJkRan', fromAlice({ nbf: far })),
  outOfTime(
    'UCAN expires after proofs',
    { exp: farther },
    { payload: { exp: far } },
    'yZkK6eGFgZ9LiKkL',
  ),
  outOfTime('UCAN ready before proofs', { nbf: 1 }, { payload: { nbf: 2 } }, 'YOKAbtClCQJziz4Y'),
  refuted('UCAN header is missing typ field', absent, 'mFFFVP-hfpI16xLV', fromAlice(), {
    alg: 'EdDSA',
  }),
  refuted('UCAN header is missing alg field', absent, 'yqNQQoNTHCixB8bj', fromAlice(), {
    typ: 'JWT',
  }),
  refuted('UCAN payload is missing ucv field', absent, 'laZ9fqz-DhR_sbVS', {
    aud,
    cap: {},
    exp: null,
    iss,
  }),
  refuted('UCAN payload is missing iss field', absent, 'b-g9tAwf78671zut', {
    aud,
    cap: {},
    exp: null,
    ucv,
  }),
  refuted('UCAN payload is missing aud field', absent, 'mvBd9TGdEB3p-EIc', {
    ucv,
    cap: {},
    exp: null,
    iss,
  }),
  refuted('UCAN payload is missing exp field', absent, 'YwUzs6T1Rir3bc6M', {
    aud,
    cap: {},
    ucv,
    iss,
  }),
  refuted('UCAN payload is missing cap field', absent, '22qwsTJvEqHCG1X1', {
    aud,
    ucv,
    exp: null,
    iss,
  }),
  refuted('UCAN header alg field is not a string', wrong, 'bDkVEY5PgTeC_6AY', fromAlice(), {
    ...header,
    alg: 1,
  }),
  refuted('UCAN header typ field is not a string', wrong, '1AobwbdMFtPhaqsp', fromAlice(), {
    ...header,
    typ: 1,
  }),
  refuted('UCAN type is not JWT', wrong, 'pk-UHwHy89YbLWtg', fromAlice(), {
    ...header,
    typ: 'NOT_JWT',
  }),
  refuted(
    'UCAN payload ucv field is not a string',
    wrong,
    'i83bMf3ZTiEntyQg',
    fromAlice({ ucv: 1 }),
  ),
  refuted(
    'UCAN payload ucv field is not semantically versioned',
    wrong,
    'aDj_GdR1OtwXoeWq',
    fromAlice({ ucv: '0.10' }),
  ),
  refuted(
    'UCAN payload iss field is not a DID',
    wrong,
    'aZ8qyiXbEMX4GLsT',
    fromAlice({ iss: alice.multikey }),
  ),
  refuted(
    'UCAN payload aud field is not a DID',
    wrong,
    'jq4S2p5NEwxdB6eH',
    fromAlice({ aud: bob.multikey }),
  ),
  refuted(
    'UCAN payload nbf field is not a number',
    wrong,
    'wNsH1CpmiZjJhfIl',
    fromAlice({ nbf: '1' }),
  ),
  refuted(
    'UCAN payload exp field is not a number',
    wrong,
    '4_TiWe594ggaM3PD',
    fromAlice({ exp: String(far) }),
  ),
  refuted(
    'UCAN payload nnc field is not a string',
    wrong,
    '7sEB7EzEDslqFjuf',
    fromAlice({ nnc: 1 }),
  ),
  refuted(
    'UCAN payload fct field is not a JSON object',
    wrong,
    'xHfMIVdVRnJfw5de',
    fromAlice({ fct: null }),
  ),
  refuted(
    'UCAN payload cap field is not a JSON object',
    wrong,
    'YRrWLF6guHy1BgFT',
    fromAlice({ cap: null }),
  ),
  refuted(
    'UCAN payload cap field ability for resource is not a JSON object',
    wrong,
    'Q4zXZ0HHWCBFa5Cp',
    fromAlice({ cap: { 'mailto:alice@email.com': null } }),
  ),
  refuted(
    'UCAN payload cap field caveat is not an array',
    wrong,
    'YQrHUn5KXeZd5TcI',
    fromAlice({ cap: { 'mailto:alice@email.com': { 'email/send': null } } }),
  ),
  refuted(
    'UCAN payload cap field caveat is an empty array',
    wrong,
    'kld4oDIgz6sSf3H7',
    fromAlice({ cap: { 'mailto:alice@email.com': { 'email/send': [] } } }),
  ),
  refuted(
    'UCAN payload prf field is not an array',
    wrong,
    'Jeqh3JbtKDug0GgH',
    fromAlice({ prf: {} }),
  ),
  refuted(
    'UCAN payload prf field is not an array of CIDs',
    'incorrect_proofs',
    'rmsYqCZqa4ugeJz0',
    fromAlice({ prf: ['we', 'prove', 'nothing'] }),
  ),
];

/** Its official signature is not Mallory's, who is the issuer: it is refused for that. */
const misaligned = (): OfficialCase => {
  const proof = write(fromAlice(), alice);
  const payload = ordered({
    aud: mallory.did,
    cap: {},
    exp: null,
    iss: mallory.did,
    ucv,
    prf: [cidOf(proof)],
  });
  const signature =
    'x4AuOHBAlXipWtkYdjwdp_u6uOUlBc_sQHYN76bwXqfOFxc3XiKQQDvk-Gi9GsqZbAo86u6NAXJUrDWHuIkeCw';
  return {
    name: 'UCAN issuer does not match proof audience',
    token: `${encode(header)}.${encode(payload)}.${signature}`,
    proofs: new Map([[cidOf(proof), proof]]),
    code: 'signature',
  };
};

const code = 'invalid_delegation';
const newsletterOnly = [{ cap: email('alice', templates('newsletter')) }];
const escalated: OfficialCase[] = [
  misaligned(),
  delegated('UCAN claims a capability that has not been delegated', { cap: email('alice') }, [{}], {
    code,
    signature: 'EdZXPSt8GxcmQu2_',
  }),
  delegated(
    'UCAN escalates by adding a new caveat',
    { cap: email('alice', templates('newsletter', 'marketing')) },
    newsletterOnly,
    { code, signature: 'AQmbtPT0n4SGlRaS' },
  ),
  delegated('UCAN escalates to no caveats', { cap: email('alice') }, newsletterOnly, {
    code,
    signature: 'WwdZ21MV5RW2h_-R',
  }),
  delegated(
    'UCAN escalates by adding a different caveat',
    { cap: email('alice', templates('marketing')) },
    newsletterOnly,
    { code, signature: 'b1xIr3VnJFcEqljP' },
  ),
];

export const verifyCases = accepted;
export const refuteCases = [...malformed, ...escalated];

/** Tokens to build, and the expected end of the official token. */
export const buildCases = [
  {
    name: 'UCAN has an expiration',
    rest: { exp: far },
    signature: 'pkJxQke-FDVB1Eg_7Jh2socNBKgo6_0O',
  },
  {
    name: 'UCAN has a not before',
    rest: { nbf: 1, exp: null },
    signature: '-yaM1x8v4jIvi5ldLsjN3unAJiaFx2D1',
  },
  {
    name: 'UCAN delegates send email capability',
    rest: { exp: null, cap: email('alice') },
    signature: 'mWmgl4OyAl_OKCB0tYBaxbw_0MkR2jM0',
  },
  {
    name: 'UCAN delegates send email capability with newsletter template caveat',
    rest: { exp: null, cap: email('alice', templates('newsletter')) },
    signature: 'f4QEc5oN43eUKxUfYuQ9zrjz3A6jiW6X',
  },
  {
    name: 'UCAN has a fact with a challenge',
    rest: { exp: null, fct: { challenge: 'abcdef' } },
    signature: 'uhk0MI1CyB3nEu4RxZqoOq3-BucWT86U',
  },
];

export const cidCase = {
  token:
    'eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVCJ9.eyJhdWQiOiJkaWQ6a2V5Ono2TWtmZkRaQ2tDVFdyZWc4ODY4ZkcxRkdGb2djSmo1WDZQWTkzcFBjV0RuOWJvYiIsImNhcCI6e30sImV4cCI6bnVsbCwiaXNzIjoiZGlkOmtleTp6Nk1razg5YkMzSnJWcUtpZTcxWUVjYzVNMVNNVnh1Q2dOeDZ6TFo4U1lKc3hBTGkiLCJ1Y3YiOiIwLjEwLjAifQ.MkBYb77b19pn8fCODCMYpqNTs5_neWBsNHKL73U68S1w3sj0RCllCoHq-Ih-rrFsNvNWSSyOQN3ZC_nN966BAA',
  sha256: 'bafkreibvv43zt5dfzwr5ejms3oeb5rkazufzkvqs6v3izwwlj64jmrchci',
  blake3: 'bafkr4icyq2ikdjxba7bytuxjjgxfhouzdbwutrqio77cb5logrg7osnsli',
};
