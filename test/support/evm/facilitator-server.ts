/** A facilitator of x402 elsewhere: the stock library behind HTTP, with a key of its own on the chain of the tests. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { x402Facilitator } from '@x402/core/facilitator';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { registerExactEvmScheme } from '@x402/evm/exact/facilitator';
import { createNonceManager, createWalletClient, type Hex, http, publicActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { baseSepolia } from 'viem/chains';
import { jsonRpc } from 'viem/nonce';

type Asked = { paymentPayload: PaymentPayload; paymentRequirements: PaymentRequirements };
type Settled = Awaited<ReturnType<x402Facilitator['settle']>>;

/**
 * Decides over a settlement. Gets the real one, which it need not begin. Undefined: the connection is cut without an
 * answer.
 */
export type Settling = (settle: () => Promise<Settled>) => Promise<Settled | undefined>;

const asIs: Settling = (settle) => settle();

const bodyOf = async (request: IncomingMessage): Promise<Asked> => {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return JSON.parse(text);
};

const facilitatorOn = (rpcUrl: string, key: Hex): x402Facilitator => {
  const nonceManager = createNonceManager({ source: jsonRpc() });
  const client = createWalletClient({
    account: privateKeyToAccount(key, { nonceManager }),
    chain: baseSepolia,
    transport: http(rpcUrl),
    pollingInterval: 50,
  }).extend(publicActions);
  const signer = toFacilitatorEvmSigner({
    address: client.account.address,
    getCode: client.getCode as never,
    readContract: client.readContract as never,
    verifyTypedData: client.verifyTypedData as never,
    writeContract: client.writeContract as never,
    sendTransaction: client.sendTransaction as never,
    waitForTransactionReceipt: client.waitForTransactionReceipt as never,
  });
  return registerExactEvmScheme(new x402Facilitator(), { signer, networks: 'eip155:84532' });
};

export const startFacilitator = async (rpcUrl: string, key: Hex) => {
  const facilitator = facilitatorOn(rpcUrl, key);
  let settling = asIs;
  const answerTo = async (request: IncomingMessage): Promise<object | undefined> => {
    if (request.url === '/supported') return facilitator.getSupported();
    const { paymentPayload, paymentRequirements } = await bodyOf(request);
    return request.url === '/settle'
      ? settling(() => facilitator.settle(paymentPayload, paymentRequirements))
      : facilitator.verify(paymentPayload, paymentRequirements);
  };
  const server = createServer(async (request, response) => {
    const answer = await answerTo(request);
    if (answer === undefined) return void request.socket.destroy();
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** From now on. */
    settle(as: Settling = asIs): void {
      settling = as;
    },
    stop(): void {
      server.close();
      server.closeAllConnections();
    },
  };
};
