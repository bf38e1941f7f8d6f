/** The message that a payer signs, and the headers that carry it. */
import { randomBytes } from 'node:crypto';
import { type Address, getAddress, type Hex } from 'viem';
import type { LocalAccount } from 'viem/accounts';
import { authorizationData, type Chain } from './chain.ts';

/** Where payments go. */
export const payTo: Address = '0x5e1f00000000000000000000000000000000c0de';

export const x402Settings = async (chain: Chain): Promise<Record<string, string>> => ({
  X402_NETWORK: 'base-sepolia',
  X402_RPC_URL: chain.url,
  X402_PAY_TO: payTo,
  X402_SIGNER_KEY: await chain.newSigner(),
});

/** The requirements that a 402 names, in version 2. */
export const requirementsIn = (answer: { headers: Headers }): Record<string, unknown> => {
  const header = answer.headers.get('payment-required') ?? '';
  const { accepts } = JSON.parse(Buffer.from(header, 'base64').toString()) as {
    accepts: Record<string, unknown>[];
  };
  return accepts[0] ?? {};
};

export const encoded = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString('base64');

type Changes = {
  value?: bigint;
  to?: string;
  nonce?: Hex;
  validAfter?: bigint;
  validBefore?: bigint;
};

/** Signs the demanded payment, with changes. */
export const signed = async (
  signer: LocalAccount,
  requirements: Record<string, unknown>,
  changes: Changes = {},
) => {
  const authorization = {
    from: signer.address,
    to: getAddress(changes.to ?? String(requirements.payTo)),
    value: changes.value ?? BigInt(String(requirements.amount)),
    validAfter: changes.validAfter ?? 0n,
    validBefore: changes.validBefore ?? BigInt(Math.floor(Date.now() / 1_000) + 300),
    nonce: changes.nonce ?? (`0x${randomBytes(32).toString('hex')}` as Hex),
  };
  const signature = await signer.signTypedData(authorizationData(authorization));
  const texts = Object.fromEntries(
    Object.entries(authorization).map(([name, value]) => [name, String(value)]),
  );
  return { authorization, payload: { signature, authorization: texts } };
};

/** A payment header of version 2. */
export const paymentHeader = async (
  signer: LocalAccount,
  requirements: Record<string, unknown>,
  changes: Changes = {},
): Promise<string> => {
  const { payload } = await signed(signer, requirements, changes);
  return encoded({ x402Version: 2, accepted: requirements, payload });
};
