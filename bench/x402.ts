/** s) Letters paid by x402, and the answers that demand payment, compared with verify and settle alone. */
import { toFacilitatorEvmSigner } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import {
  createNonceManager,
  createWalletClient,
  getAddress,
  type Hex,
  http,
  publicActions,
} from 'viem';
import { type LocalAccount, privateKeyToAccount } from 'viem/accounts';
import { baseSepolia } from 'viem/chains';
import { jsonRpc } from 'viem/nonce';
import { demoLetter } from '../service/demo/letter.ts';
import { type Chain, startChain } from '../test/support/evm/chain.ts';
import { paymentHeader, requirementsIn, signed } from '../test/support/evm/x402.ts';
import { during, p50 } from './during.ts';
import { openConnection, postRequest } from './load/connection.ts';
import type { Options } from './options.ts';
import { print } from './printed.ts';
import { atLeast, formatTable, tenth, whole } from './report.ts';
import type { Outcome } from './scenarios.ts';
import { host, startServiceProcess } from './service-process.ts';
import { startCluster } from './stage.ts';

const payers = 16;
const askers = 64;
const payTo = '0x5e1f00000000000000000000000000000000c0de';
type Requirements = Record<string, unknown>;

/** The time that the library alone takes to verify and to settle, one payment after the other. */
const bareSettlement = async (chain: Chain, requirements: Requirements, count: number) => {
  const key = await chain.newSigner();
  const account = privateKeyToAccount(key, {
    nonceManager: createNonceManager({ source: jsonRpc() }),
  });
  const client = createWalletClient({
    account,
    chain: baseSepolia,
    transport: http(chain.url),
    pollingInterval: 20,
  }).extend(publicActions);
  const scheme = new ExactEvmScheme(
    toFacilitatorEvmSigner({ ...client, address: account.address } as never),
  );
  const payer = await chain.newPayer(1_000_000_000n);
  const [verifying, settling]: [number[], number[]] = [[], []];
  for (let n = 0; n < count; n++) {
    const { payload } = await signed(payer, requirements);
    const paid = { x402Version: 2, accepted: requirements, payload } as never;
    const begun = performance.now();
    await scheme.verify(paid, requirements as never);
    const verified = performance.now();
    await scheme.settle(paid, requirements as never);
    verifying.push(verified - begun);
    settling.push(performance.now() - verified);
  }
  return { verifyMs: p50(verifying), settleMs: p50(settling) };
};

const post = (url: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${url}/api/send`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(demoLetter),
  });

export const runX402 = async ({ seconds, warmUpSeconds }: Options): Promise<Outcome> => {
  await using stack = new AsyncDisposableStack();
  const chain = await startChain();
  stack.defer(chain.stop);
  const cluster = await startCluster();
  stack.defer(() => cluster.stop());
  const service = await startServiceProcess(cluster.dataDir, undefined, {
    X402_NETWORK: 'base-sepolia',
    X402_RPC_URL: chain.url,
    X402_PAY_TO: getAddress(payTo),
    X402_SIGNER_KEY: (await chain.newSigner()) as Hex,
  });
  stack.defer(() => service.stop());
  const url = `http://${host}:${service.port}`;
  const requirements = requirementsIn(await post(url));

  const problems: string[] = [];
  // The process that asks this often must not take the core that answers.
  const connections = await Promise.all(
    Array.from({ length: askers }, () => openConnection(host, service.port)),
  );
  const request = postRequest(host, '/api/send', demoLetter);
  const ask = async (n: number): Promise<void> => {
    const answer = await connections[n]?.ask(request);
    if (answer?.status !== 402) problems.push(`a request without payment: ${answer?.status}`);
  };
  await during(askers, warmUpSeconds, ask);
  const asked = await during(askers, seconds, ask);
  for (const connection of connections) connection.close();
  const wallets: LocalAccount[] = [];
  // One after the other: their money comes from one account, whose transactions are numbered.
  while (wallets.length < payers) wallets.push(await chain.newPayer(1_000_000_000_000n));
  let letters = 0;
  let left = 0;
  const pay = async (n: number): Promise<void> => {
    const payment = await paymentHeader(wallets[n] as LocalAccount, requirements);
    const answer = await post(url, { 'PAYMENT-SIGNATURE': payment });
    const text = await answer.text();
    if (answer.status === 201) letters += 1;
    else if (text.includes('"payment_pending"')) left += 1;
    else problems.push(`a paid letter: ${answer.status} ${text.slice(0, 200)}`);
  };
  await during(payers, warmUpSeconds, pay);
  const paid = await during(payers, seconds, pay);
  const transfers = (await chain.received(getAddress(payTo))).length;
  // Transactions that anvil left unmined for 20 s may be on the chain by now; their letters follow.
  if (transfers < letters || transfers > letters + left) {
    problems.push(`${letters} letters, ${transfers} transfers`);
  }
  if (left > 0) {
    print(
      `  anvil took ${left} transactions and did not mine them, which its pool does now and then to numbers in order that ` +
        'come while it makes a block: the rate of sends counts for nothing, run it again',
    );
  }
  const bare = await bareSettlement(chain, requirements, 50);
  print(
    formatTable({
      columns: ['what', 'per s', 'p50 ms'],
      rows: [
        [`x402 send, ${payers} payers`, tenth(paid.perSecond), tenth(paid.p50)],
        [`402, ${askers} callers`, whole(asked.perSecond), tenth(asked.p50)],
        ['verify alone (library)', '', tenth(bare.verifyMs)],
        ['settle alone (library)', '', tenth(bare.settleMs)],
      ],
    }),
  );
  print(`  ${letters} letters, each paid by one transfer of its own`);
  return {
    targets: [
      atLeast('x402 send', 60, paid.perSecond, '/s'),
      atLeast('402 answers', 3_000, asked.perSecond, '/s'),
    ],
    problems: [...new Set(problems)],
  };
};
