/**
 * did:pkh: the document follows from a blockchain account, CAIP-10.
 * Source: the did:pkh draft of W3C CCG and its test vectors.
 */
import {
  isBip122Address,
  isEip155Address,
  readBase58,
  type TezosKind,
  tezosKind,
} from './chain-address.ts';
import { type Did, DidError } from './did.ts';
import type { DidDocument, VerificationMethod } from './did-document.ts';
import { isEd25519Point } from './ed25519-point.ts';
import { toBase64Url } from './encoding.ts';

/** A verification method without what follows from the DID. */
type Method = { name: string; type: string; publicKeyJwk?: Record<string, string> };

const terms: Record<string, unknown> = {
  blockchainAccountId: 'https://w3id.org/security#blockchainAccountId',
  publicKeyJwk: { '@id': 'https://w3id.org/security#publicKeyJwk', '@type': '@json' },
  EcdsaSecp256k1RecoveryMethod2020:
    'https://identity.foundation/EcdsaSecp256k1RecoverySignature2020#EcdsaSecp256k1RecoveryMethod2020',
};
const termOf = (name: string): unknown => terms[name] ?? `https://w3id.org/security#${name}`;

const recovery: Method = { name: 'blockchainAccountId', type: 'EcdsaSecp256k1RecoveryMethod2020' };

const tezosTypes: Record<TezosKind, string> = {
  tz1: 'Ed25519PublicKeyBLAKE2BDigestSize20Base58CheckEncoded2021',
  tz2: 'EcdsaSecp256k1RecoveryMethod2020',
  tz3: 'P256PublicKeyBLAKE2BDigestSize20Base58CheckEncoded2021',
};

const solanaMethods = (address: string): Method[] | undefined => {
  const key = readBase58(address);
  if (key === undefined || !isEd25519Point(key)) return undefined;
  const publicKeyJwk = { kty: 'OKP', crv: 'Ed25519', x: toBase64Url(key) };
  return [
    { name: 'controller', type: 'Ed25519VerificationKey2018', publicKeyJwk },
    { name: 'SolanaMethod2021', type: 'SolanaMethod2021', publicKeyJwk },
  ];
};

const tezosMethods = (address: string): Method[] | undefined => {
  const kind = tezosKind(address);
  if (kind === undefined) return undefined;
  return [
    { name: 'blockchainAccountId', type: tezosTypes[kind] },
    { name: 'TezosMethod2021', type: 'TezosMethod2021' },
  ];
};

type Namespace = {
  /** Pattern of a chain's name in the namespace (CAIP-2). */
  reference: RegExp;
  /** The verification methods of an account; undefined if the address is not valid. */
  methods(address: string, reference: string): Method[] | undefined;
};

const namespaces: Record<string, Namespace> = {
  eip155: {
    reference: /^[1-9]\d{0,31}$/,
    methods: (address) => (isEip155Address(address) ? [recovery] : undefined),
  },
  solana: { reference: /^[1-9A-HJ-NP-Za-km-z]{32}$/, methods: solanaMethods },
  bip122: {
    reference: /^[0-9a-f]{32}$/,
    methods: (address, chain) => (isBip122Address(chain, address) ? [recovery] : undefined),
  },
  tezos: { reference: /^Net[1-9A-HJ-NP-Za-km-z]{12}$/, methods: tezosMethods },
};

/**
 * The verification methods that prove control of the account.
 * @throws DidError invalidDid, unsupportedNetwork
 */
const methodsOf = ({ method, id }: Did): Method[] => {
  if (method !== 'pkh') throw new DidError('methodNotSupported', 'the DID is not a did:pkh');
  const [namespace = '', reference = '', address = '', ...more] = id.split(':');
  if (!/^[-a-z0-9]{3,8}$/.test(namespace) || address === '' || more.length > 0) {
    throw new DidError(
      'invalidDid',
      'a did:pkh names namespace, chain and address (CAIP-10), e.g. did:pkh:eip155:1:0x…',
    );
  }
  const known = Object.hasOwn(namespaces, namespace) ? namespaces[namespace] : undefined;
  if (known === undefined) {
    const names = Object.keys(namespaces).join(', ');
    throw new DidError('unsupportedNetwork', `of did:pkh, only ${names} are resolved`);
  }
  const methods = known.reference.test(reference) ? known.methods(address, reference) : undefined;
  if (methods === undefined) {
    throw new DidError(
      'invalidDid',
      `the address or the chain is not one of ${namespace}; check its checksum and letter case`,
    );
  }
  return methods;
};

/** @throws DidError invalidDid, unsupportedNetwork */
export const didPkhDocument = (parsed: Did): DidDocument => {
  const { did, id } = parsed;
  const methods = methodsOf(parsed);
  const used = new Set([
    'blockchainAccountId',
    ...methods.flatMap(({ type, publicKeyJwk }) =>
      publicKeyJwk ? ['publicKeyJwk', type] : [type],
    ),
  ]);
  const verificationMethod = methods.map(
    ({ name, type, publicKeyJwk }): VerificationMethod => ({
      id: `${did}#${name}`,
      type,
      controller: did,
      blockchainAccountId: id,
      ...(publicKeyJwk === undefined ? {} : { publicKeyJwk }),
    }),
  );
  const ids = verificationMethod.map((method) => method.id);
  return {
    '@context': [
      'https://www.w3.org/ns/did/v1',
      Object.fromEntries([...used].map((name) => [name, termOf(name)])),
    ],
    id: did,
    verificationMethod,
    authentication: ids,
    assertionMethod: ids,
    capabilityDelegation: ids,
    capabilityInvocation: ids,
  };
};
