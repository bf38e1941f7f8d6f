/** The stock clients of x402 wallets. */
import { x402Client as AxiosClient, wrapAxiosWithPayment } from '@x402/axios';
import { ExactEvmScheme, registerExactEvmScheme } from '@x402/evm/exact/client';
import { createSIWxPayload, encodeSIWxHeader } from '@x402/extensions/sign-in-with-x';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import axios from 'axios';
import type { LocalAccount } from 'viem/accounts';

/** The stock client, with a cap that covers a letter. */
export const stockFetch = (signer: LocalAccount): typeof fetch => {
  const client = new x402Client();
  registerExactEvmScheme(client, { signer: signer as never, networks: ['eip155:84532'] });
  client.setSpendControls({ maxAmountPerPayment: '$20' });
  return wrapFetchWithPayment(fetch, client) as typeof fetch;
};

/** The same for axios. Its client has no caps of its own. */
export const stockAxios = (signer: LocalAccount) => {
  const client = new AxiosClient();
  client.register('eip155:84532', new ExactEvmScheme(signer as never) as never);
  return wrapAxiosWithPayment(axios.create(), client);
};

export type SignInChallenge = {
  info: Parameters<typeof createSIWxPayload>[0];
  supportedChains: { chainId: string; type: 'eip191' }[];
};

/** The answer of a wallet to a challenge. */
export const signInHeader = async (
  signer: LocalAccount,
  { info, supportedChains: [chain] }: SignInChallenge,
): Promise<string> =>
  encodeSIWxHeader(await createSIWxPayload({ ...info, ...chain }, signer as never, info.uri));
