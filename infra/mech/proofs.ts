/**
 * Callers that may have the mech act: its coordinator, by a shared secret or by its address, and the
 * requester on the marketplace. All sign the body, which names the request: a request id is public on its
 * chain, and must not authorize the body of somebody else.
 */
import { hash } from 'node:crypto';
import { type Hex, recoverMessageAddress } from 'viem';
import { AppError } from '../../contract/errors.ts';
import type { SignedRequest } from '../../contract/operation.ts';
import { chainIdOf, type OnChain } from '../../events/mech.ts';
import type { Clock } from '../../ground/clock.ts';
import { verifyWebhook } from '../signing/standard-webhooks.ts';
import { ChainUnavailable, type Marketplace, type MarketRequest } from './marketplace.ts';

type ProofSettings = {
  /** Prefix of the addresses of the service: a signature is for one service. */
  baseUrl: string;
  secret?: string | undefined;
  coordinator?: string | undefined;
  /** Address of our mech. */
  mech?: string | undefined;
};

type Wanted = { signed: SignedRequest | undefined; requestId: string; priceWei: bigint };

type MechProof = {
  by: 'coordinator' | 'chain';
  chain?: OnChain;
  /** Holds the request on the marketplace to what it must pay. */
  confirm?(): Promise<void>;
};

/** The text that is signed as a message (EIP-191). */
export const messageOf = (baseUrl: string, body: Uint8Array): string =>
  `${baseUrl}/api/mech/execute\n${hash('sha256', body, 'hex')}`;

const needed = (detail: string): AppError => new AppError('mech_proof_needed', detail);

const unavailable = (cause: unknown): AppError =>
  new AppError(
    'mech_unavailable',
    'The chain of the marketplace cannot be reached at the moment. Repeat the request with the same request_id.',
    { cause, headers: { 'Retry-After': '5' } },
  );

const signaturePattern = /^0x(?:[0-9a-fA-F]{2}){65,2048}$/;

const orUnavailable = async <T>(question: () => Promise<T>): Promise<T> => {
  try {
    return await question();
  } catch (error) {
    throw error instanceof ChainUnavailable ? unavailable(error) : error;
  }
};

/** @throws AppError mech_proof_needed */
const assertPays = (request: MarketRequest, mech: string | undefined, priceWei: bigint): void => {
  if (request.mech !== mech?.toLowerCase()) {
    throw needed('The request on the marketplace is for another mech.');
  }
  if (!request.native) throw needed('The request on the marketplace is not paid in xDAI.');
  if (request.rateWei < priceWei) {
    throw needed(
      `The request on the marketplace pays ${request.rateWei} wei, but the action costs ${priceWei}.`,
    );
  }
  if (request.status !== 'requested') {
    throw needed(`The request on the marketplace is ${request.status}. Make another one.`);
  }
};

export const createProve = (
  settings: ProofSettings,
  { clock, marketplace }: { clock: Clock; marketplace: Marketplace | undefined },
) => {
  const { baseUrl, secret, coordinator, mech } = settings;

  const isOfSecret = ({ headers, body }: SignedRequest): boolean => {
    if (secret === undefined || headers['webhook-signature'] === undefined) return false;
    const nowS = Math.floor(clock() / 1_000);
    const verified = verifyWebhook({ headers, body, secrets: [secret], nowS });
    if (verified.ok) return true;
    throw needed(`The signature of the coordinator is not accepted (${verified.code}).`);
  };

  const findOnChain = async (market: Marketplace, requestId: string) => {
    const id = chainIdOf(requestId);
    if (id === undefined) {
      throw needed(
        'request_id must be the id of the request on the marketplace, in hex or in decimal digits.',
      );
    }
    const request = await orUnavailable(() => market.request(id));
    if (!request) throw needed('There is no request with this request_id on the marketplace.');
    const { network, address } = market;
    return { request, chain: { network, marketplace: address, requestId: id } };
  };

  const byRequester = async (
    { signed, requestId, priceWei }: Wanted & { signed: SignedRequest },
    signature: Hex,
    signer: string | undefined,
  ): Promise<MechProof> => {
    if (!marketplace) throw needed('The coordinator did not make this signature.');
    const { request, chain } = await findOnChain(marketplace, requestId);
    const { requester } = request;
    const message = messageOf(baseUrl, signed.body);
    const isRequesters =
      signer === requester.toLowerCase() ||
      (await orUnavailable(() => marketplace.isSignedBy(requester, message, signature)));
    if (!isRequesters) {
      throw needed('The requester on the marketplace did not sign the body.');
    }
    return { by: 'chain', chain, confirm: async () => assertPays(request, mech, priceWei) };
  };

  /** @throws AppError mech_proof_needed, mech_unavailable */
  return async (wanted: Wanted): Promise<MechProof> => {
    const { signed } = wanted;
    if (signed && isOfSecret(signed)) return { by: 'coordinator' };
    const header = signed?.headers['mech-signature'];
    if (!signed || typeof header !== 'string') {
      throw needed(
        'This action is paid. Sign the request as its coordinator, or as its requester on the marketplace; see the guide of the mech.',
      );
    }
    if (!signaturePattern.test(header)) {
      throw needed('mech-signature must be a signature: 0x and at least 130 hex digits.');
    }
    const signature = header as Hex;
    const message = messageOf(baseUrl, signed.body);
    const recovered = await recoverMessageAddress({ message, signature }).catch(() => undefined);
    const signer = recovered?.toLowerCase();
    if (signer !== undefined && signer === coordinator?.toLowerCase()) return { by: 'coordinator' };
    return byRequester({ ...wanted, signed }, signature, signer);
  };
};
