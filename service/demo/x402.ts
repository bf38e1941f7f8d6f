/**
 * `npm run demo:x402`: a letter that is paid with nothing but a wallet, cancelled, and refunded to it. The
 * chain is a local one with a test USDC; the clients are the stock ones, as any agent has them.
 */
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { messageOf } from '../../ground/message-of.ts';
import { startChain } from '../../test/support/evm/chain.ts';
import {
  type SignInChallenge,
  signInHeader,
  stockFetch,
} from '../../test/support/evm/stock-clients.ts';
import { answerOf, type Balance, type Sent } from './client.ts';
import { demoLetter } from './letter.ts';
import { startOwn } from './service.ts';

const say = (label: string, text: string): void => console.log(`${label.padEnd(10)}${text}`);
const usd = (amount: number): string => `$${amount.toFixed(2)}`;

const play = async (stack: AsyncDisposableStack): Promise<void> => {
  const chain = await startChain();
  stack.defer(chain.stop);
  const payTo = privateKeyToAccount(generatePrivateKey()).address;
  const service = await startOwn({
    X402_NETWORK: 'base-sepolia',
    X402_RPC_URL: chain.url,
    X402_PAY_TO: payTo,
    X402_SIGNER_KEY: await chain.newSigner(),
  });
  stack.defer(service.stop);
  say('chain', `${chain.url} (anvil, as Base Sepolia, with a test USDC)`);
  say('service', `${service.url} (paid to ${payTo})`);

  const wallet = await chain.newPayer(50_000_000n);
  const onChain = async () => usd(Number(await chain.balanceOf(wallet.address)) / 1e6);
  say('wallet', `${wallet.address} with ${await onChain()} in USDC; no account, no key`);

  const paying = stockFetch(wallet);
  const sent = await paying(`${service.url}/api/send`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(demoLetter),
  });
  const { letter_id: letterId, price } = await answerOf<Sent & { price: { total: number } }>(
    'POST /api/send',
    async () => sent.clone(),
  );
  say('letter', `${letterId}, paid with ${usd(price.total)}`);
  const receipt = Buffer.from(sent.headers.get('payment-response') ?? '', 'base64').toString();
  say('receipt', (JSON.parse(receipt) as { transaction: string }).transaction);
  say('wallet', `${await onChain()} in USDC`);

  /** Signed in with the wallet, which costs nothing. */
  const signedIn = <T>(method: string, path: string): Promise<T> =>
    answerOf(`${method} ${path}`, async () => {
      const terms = await answerOf<{ sign_in: SignInChallenge }>('GET /x402', () =>
        fetch(`${service.url}/x402?${new URLSearchParams({ method, path })}`),
      );
      const headers = { 'SIGN-IN-WITH-X': await signInHeader(wallet, terms.sign_in) };
      return fetch(`${service.url}${path}`, { method, headers });
    });
  const balance = async (): Promise<string> => {
    const money = await signedIn<Balance>('GET', '/api/balance');
    return `${usd(money.available)} available, ${usd(money.held)} held`;
  };
  say('account', `${await balance()} (read by signing in with the wallet)`);
  await signedIn('POST', `/api/letters/${letterId}/cancel`);
  say('cancelled', letterId);
  say('account', `${await balance()}: it pays for the next letter`);
};

const run = async (): Promise<void> => {
  await using stack = new AsyncDisposableStack();
  const interrupted = (): void => void stack.disposeAsync().then(() => process.exit(130));
  process.once('SIGINT', interrupted);
  process.once('SIGTERM', interrupted);
  await play(stack);
};

await run().catch((error: unknown) => {
  console.error(`The demo failed: ${messageOf(error)}`);
  process.exit(1);
});
