/**
 * Proof that somebody controls a DID: a signature over a text that was made for the occasion.
 * did:key and did:web sign the text's bytes; a did:pkh of an Ethereum account signs it as a wallet
 * does (EIP-191). Contract wallets (EIP-1271) would need a node of the chain: they cannot prove it here.
 */
import { type DidDocument, findVerificationKey } from './did-document.ts';
import { EncodingError, fromBase64Url } from './encoding.ts';
import { algOf, type PublicKey, verifySignature } from './keys.ts';
import { assertNotBusy, type Resolver } from './resolver.ts';

/** Keys that a document names for authentication, with an algorithm that is known here. */
const authenticationKeys = (document: DidDocument, nowMs: number): PublicKey[] =>
  (document.authentication ?? []).flatMap((entry) => {
    const kid = typeof entry === 'string' ? entry : entry.id;
    const found = findVerificationKey(document, kid, 'authentication', nowMs);
    return found.publicKey ? [found.publicKey] : [];
  });

const eip155 = /^did:pkh:eip155:[1-9]\d{0,31}:(0x[0-9a-fA-F]{40})$/;

const base64Url = (text: string): Buffer | undefined => {
  try {
    return fromBase64Url(text);
  } catch (error) {
    if (error instanceof EncodingError) return undefined;
    throw error;
  }
};

const isWalletSignature = async (
  address: string,
  message: string,
  signature: string,
): Promise<boolean> => {
  try {
    const { verifyMessage } = await import('viem/utils');
    return await verifyMessage({
      address: address as `0x${string}`,
      message,
      signature: signature as `0x${string}`,
    });
  } catch {
    return false;
  }
};

/** How a DID can be proved: an Ethereum account, keys, or not at all (a reason in words). */
type Provable = { address: string } | { keys: PublicKey[] } | { finding: string };

/** Finds out how control of a DID can be proved. @throws AppError overloaded */
export const provable = async (
  resolver: Pick<Resolver, 'resolve'>,
  did: string,
  nowMs: number,
): Promise<Provable> => {
  const resolution = await resolver.resolve(did);
  assertNotBusy(resolution);
  const { didDocument, didResolutionMetadata } = resolution;
  if (!didDocument) {
    return { finding: didResolutionMetadata.errorMessage ?? 'the DID cannot be resolved' };
  }
  const [, address] = eip155.exec(did) ?? [];
  if (address !== undefined) return { address };
  if (did.startsWith('did:pkh:')) return { finding: 'of did:pkh only eip155 can be proved' };
  const keys = authenticationKeys(didDocument, nowMs);
  return keys.length > 0
    ? { keys }
    : { finding: 'the DID document names no key for authentication that is known here' };
};

/** Undefined when the signature of `text` proves control, otherwise why it does not. */
export const controlFinding = async (
  by: Exclude<Provable, { finding: string }>,
  text: string,
  signature: string,
): Promise<string | undefined> => {
  if ('address' in by) {
    if (!/^0x[0-9a-f]{130}$/i.test(signature)) {
      return 'signature must be the 65 bytes of personal_sign (EIP-191), 0x and hexadecimal digits';
    }
    return (await isWalletSignature(by.address, text, signature))
      ? undefined
      : 'the signature is not one of challenge by the account of the DID';
  }
  const bytes = base64Url(signature);
  if (!bytes) return 'signature must be base64url without padding';
  const signs = by.keys.some((key) => verifySignature(key, algOf(key.type) ?? '', text, bytes));
  return signs ? undefined : 'the signature is not one of challenge by a key of the DID';
};
