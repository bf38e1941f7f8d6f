// npm install @x402/fetch @x402/evm viem
import { registerExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { privateKeyToAccount } from 'viem/accounts';

const service = process.env.LETTERS_URL ?? 'BASE_URL';
// A key with USDC on NETWORK_NAME; no ETH is needed.
const signer = privateKeyToAccount(process.env.WALLET_KEY);
const client = new x402Client();
registerExactEvmScheme(client, { signer, networks: ['NETWORK'] });
// This client refuses payments above $1 by itself; letters cost more.
client.setSpendControls({ maxAmountPerPayment: '$20' });
const pay = wrapFetchWithPayment(fetch, client);

const answer = await pay(`${service}/api/send`, {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({
    to_name: 'Erika Mustermann',
    to_line1: 'Lindenstraße 5',
    to_city: 'Berlin',
    to_postal_code: '10969',
    to_country: 'DE',
    from_name: 'Max Sender',
    from_line1: 'Domkloster 4',
    from_city: 'Köln',
    from_postal_code: '50667',
    from_country: 'DE',
    content: 'Hello from a wallet.',
  }),
});
console.log(answer.status, JSON.stringify(await answer.json()));
