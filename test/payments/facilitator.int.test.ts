/** A facilitator elsewhere that verifies and settles: its answers over HTTP, in front of a node that is a stand-in. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { RailUnavailable } from '../../commands/payments/rails.ts';
import { type Network, networkOf } from '../../infra/payments/x402/networks.ts';
import { createRail } from '../../infra/payments/x402/rail.ts';

const network = networkOf('base-sepolia') as Network;
const payTo = `0x${'b'.repeat(40)}`;
const payment = () => ({
  payer: `0x${'a'.repeat(40)}`,
  payTo,
  amountMicro: 10n,
  validAfter: 0n,
  validBefore: BigInt(Math.floor(Date.now() / 1_000) + 300),
  nonce: `0x${'1'.repeat(64)}`,
  signature: `0x${'2'.repeat(130)}`,
});

type Answer = { status: number; body: object };

const textOf = async (request: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
};

/** `answer`: undefined where none ever comes. */
const listening = async (
  answer: (text: string) => Answer | undefined,
): Promise<[Server, string]> => {
  const server = createServer(async (request, response) => {
    const answered = answer(await textOf(request));
    if (!answered) return;
    const { status, body } = answered;
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return [server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`];
};

describe('a facilitator elsewhere', () => {
  let answer: Answer | undefined;
  const servers: Server[] = [];
  let rail: ReturnType<typeof createRail>;
  before(async () => {
    const [facilitator, facilitatorUrl] = await listening(() => answer);
    const [node, rpcUrl] = await listening((text) => {
      const { id, method } = JSON.parse(text);
      const result = method === 'eth_chainId' ? `0x${network.chainId.toString(16)}` : '0x64';
      return { status: 200, body: { jsonrpc: '2.0', id, result } };
    });
    servers.push(facilitator, node);
    rail = createRail({ network, payTo, rpcUrl, facilitatorUrl, confirmationMs: 500 });
  });
  after(async () => {
    rail?.close();
    for (const server of servers) server.close().closeAllConnections();
  });

  for (const status of [200, 400, 402, 412]) {
    it(`names the fault of a payment also with status ${status}`, async () => {
      for (const [reason, fault] of [
        ['invalid_exact_evm_insufficient_balance', 'funds'],
        ['invalid_exact_evm_payload_authorization_valid_before', 'expired'],
        ['something_new', 'refused'],
      ]) {
        answer = { status, body: { isValid: false, invalidReason: reason } };
        expect(await rail.verify(payment()), reason).to.equal(fault);
      }
      answer = {
        status,
        body: {
          success: false,
          errorReason: 'invalid_exact_evm_insufficient_balance',
          transaction: '',
          network: network.network,
        },
      };
      expect(await rail.settle(payment())).to.deep.equal({ state: 'refused', fault: 'funds' });
    });
  }

  it('that fails itself names no fault, and may have sent the payment', async () => {
    answer = { status: 500, body: { isValid: false, invalidReason: 'insufficient_funds' } };
    const verified = await rail.verify(payment()).catch((error: unknown) => error);
    expect(verified).to.be.instanceOf(RailUnavailable);
    answer = { status: 500, body: { success: false, errorReason: 'insufficient_funds' } };
    expect(await rail.settle(payment())).to.deep.equal({ state: 'pending' });
    answer = { status: 401, body: { error: 'no access' } };
    const refused = await rail.verify(payment()).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(RailUnavailable);
  });

  it('that never answers is not waited for longer than for a confirmation', async () => {
    answer = undefined;
    const verified = await rail.verify(payment()).catch((error: unknown) => error);
    expect(verified).to.be.instanceOf(RailUnavailable);
    expect(await rail.settle(payment())).to.deep.equal({ state: 'pending' });
  });

  it('settles our payments if it says so', async () => {
    const kind = { x402Version: 2, scheme: 'exact', network: network.network };
    const supported = async (...kinds: object[]) => {
      answer = { status: 200, body: { kinds, extensions: [], signers: {} } };
      return rail.facilitator?.();
    };
    expect(await supported(kind)).to.equal('settles');
    expect(await supported({ ...kind, network: 'eip155:*' })).to.equal('settles');
    for (const other of [{ x402Version: 1 }, { scheme: 'upto' }, { network: 'eip155:1' }])
      expect(await supported({ ...kind, ...other }), JSON.stringify(other)).to.equal(
        'other-networks',
      );
    answer = { status: 503, body: {} };
    expect(await rail.facilitator?.()).to.equal('away');
    answer = undefined;
    expect(await rail.facilitator?.()).to.equal('away');
  });
});
