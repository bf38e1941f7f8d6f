/** Ways to pay. */

import type { RateSource } from '../../../infra/payments/lightning/rates.ts';
import { type Network, networkNames, networkOf } from '../../../infra/payments/x402/networks.ts';
import { limitTable } from '../../../limits/table.ts';
import {
  baseUrl,
  ConfigError,
  evmAddress,
  evmKey,
  integer,
  listOf,
  matching,
  orFail,
  pem,
  text,
  url,
} from '../config-parsers.ts';
import { group, plain, secret, stated, together, type Values } from '../group.ts';

const network = matching(
  /^eip155:[1-9]\d{0,18}$|^[a-z][a-z0-9-]{0,31}$/,
  'must be a network (e.g. eip155:8453 or base)',
);
const macaroon = matching(/^([0-9a-fA-F]{2})+$/, 'must be a macaroon in hex');

const amount = matching(
  /^(?=.*[1-9])\d{1,4}(\.\d{1,6})?$/,
  'must be an amount in USD above zero (e.g. 0.001)',
);

const amountOfEth = matching(/^[1-9]\d{0,6}$/, 'must be a whole amount in USD (e.g. 3000)');

const microOf = (usd: string): bigint => {
  const [whole = '', decimals = ''] = usd.split('.');
  return BigInt(whole + decimals.padEnd(6, '0'));
};

const gas = limitTable.gasPerPayer;

const x402Settings = {
  X402_NETWORK: plain(network, '`base` or `base-sepolia`: payments per request (x402)'),
  X402_RPC_URL: secret(url('http', 'https'), 'a node of this network'),
  X402_PAY_TO: plain(evmAddress, 'address that receives payments'),
  X402_SIGNER_KEY: secret(evmKey, 'settles the payments; needs ETH for gas'),
  X402_ASSET: plain(evmAddress, 'USDC of the network', 'token with EIP-3009'),
  X402_ASSET_NAME: plain(text, "USDC's", 'name in its EIP-712 domain'),
  X402_ASSET_VERSION: plain(text, "USDC's", 'version in its EIP-712 domain'),
  X402_FACILITATOR_URL: plain(baseUrl, 'settles payments instead of `X402_SIGNER_KEY`'),
  X402_CONFIRMATIONS: plain(
    integer(0, 100_000),
    '`12`',
    'blocks that must follow before a plain transfer is credited',
  ),
  X402_READ_PRICE: plain(
    amount,
    '`0.01`',
    'USD that proves who reads; it is credited to the wallet',
  ),
  X402_MAX_GAS: plain(
    integer(gas.least, gas.most),
    `\`${gas.usual}\``,
    'gas that settling one payment may cost; a payment that needs more is refused',
  ),
  X402_ETH_USD: plain(
    amountOfEth,
    '`3000`',
    'price of one ETH in USD, used only to warn when a read costs more gas than it earns',
  ),
};

/** The words for a network or a key whose payments are free. */
const testMoney = 'its money is worth nothing, and buys letters that are printed';

type X402Set = Values<typeof x402Settings>;

/** @throws ConfigError for a network that is not known */
const networkFor = (set: X402Set): Network => {
  const { X402_NETWORK: name = '' } = set;
  const found = networkOf(name);
  if (!found) {
    throw new ConfigError(`X402_NETWORK must be one of ${networkNames.join(', ')}, got "${name}"`);
  }
  return {
    ...found,
    asset: (set.X402_ASSET ?? found.asset) as Network['asset'],
    assetName: set.X402_ASSET_NAME ?? found.assetName,
    assetVersion: set.X402_ASSET_VERSION ?? found.assetVersion,
  };
};

const readX402 = (set: X402Set) => {
  const { X402_PAY_TO: payTo, X402_RPC_URL: rpcUrl } = set;
  if (payTo === undefined || rpcUrl === undefined) return undefined;
  return {
    network: networkFor(set),
    payTo,
    rpcUrl,
    signerKey: set.X402_SIGNER_KEY as `0x${string}` | undefined,
    facilitatorUrl: set.X402_FACILITATOR_URL,
    confirmations: set.X402_CONFIRMATIONS ?? 12,
    readPriceMicro: microOf(set.X402_READ_PRICE ?? '0.01'),
    maxGas: BigInt(set.X402_MAX_GAS ?? gas.usual),
    ethUsd: Number(set.X402_ETH_USD ?? '3000'),
  };
};

export const x402 = group({
  settings: x402Settings,
  prefixes: ['X402_'],
  needs: [
    together<typeof x402Settings>(
      ['X402_PAY_TO', 'X402_NETWORK', 'X402_RPC_URL'],
      Object.keys(x402Settings) as (keyof typeof x402Settings)[],
    ),
    ({ X402_PAY_TO: payTo, X402_FACILITATOR_URL: facilitator }) =>
      payTo !== undefined && facilitator === undefined
        ? {
            names: ['X402_SIGNER_KEY'],
            because: 'X402_PAY_TO is set and X402_FACILITATOR_URL is not',
          }
        : undefined,
  ],
  /** Absent: no payments per request. */
  read: (set) => ({ x402: readX402(set) }),
  describe: ({ x402: found }) => [
    stated(
      'x402',
      found,
      `USDC on ${found?.network.nameV1} to ${found?.payTo}${found?.network.testnet ? `; a test network: ${testMoney}` : ''}`,
      'not configured (X402_PAY_TO)',
    ),
  ],
});

const isTestKey = (key = ''): boolean => /^(sk|rk)_test_/.test(key);

export const stripe = group({
  settings: {
    STRIPE_SECRET_KEY: secret(
      matching(/^(sk|rk)_\w+$/, 'must be a Stripe secret key (sk_… or rk_…)'),
      'top-ups and orders by card',
    ),
    STRIPE_WEBHOOK_SECRET: secret(
      text,
      'secret with which Stripe signs its calls of `/webhooks/stripe`',
    ),
    STRIPE_API_BASE: plain(baseUrl, "Stripe's", 'a different address of its API'),
  },
  prefixes: ['STRIPE_'],
  needs: [together(['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'], ['STRIPE_API_BASE'])],
  /** Absent: no cards. */
  read: (set) => ({
    stripe:
      set.STRIPE_SECRET_KEY === undefined
        ? undefined
        : {
            secretKey: set.STRIPE_SECRET_KEY,
            webhookSecret: set.STRIPE_WEBHOOK_SECRET ?? '',
            apiBase: set.STRIPE_API_BASE,
          },
  }),
  describe: ({ stripe }) => [
    stated(
      'card',
      stripe,
      `Stripe${isTestKey(stripe?.secretKey) ? `, with a key of its test mode: ${testMoney}` : ''}`,
      'not configured (STRIPE_SECRET_KEY)',
    ),
  ],
});

const rateSource = orFail((value): RateSource | undefined => {
  const [address = '', path = ''] = value.split('#');
  const fits = URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
  return fits && path !== '' ? { url: address, path } : undefined;
}, 'must be URLs with the path of the amount in their JSON (https://api.example/spot#data.amount)');

const bitcoinPrice = matching(
  /^(?=.*[1-9])\d{1,12}(\.\d{1,6})?$/,
  'must be an amount in USD above zero (e.g. 97123.45)',
);

const lightningSettings = {
  LND_REST_URL: plain(baseUrl, 'REST gateway of an LND node: top-ups by Lightning'),
  LND_MACAROON: secret(macaroon, 'hex; one that may create and read invoices'),
  LND_CERT: plain(pem, "the system's", 'PEM, or its path: certificate of the node'),
  LIGHTNING_RATE_SOURCES: plain(
    listOf(rateSource),
    'sources of the bitcoin price in USD, `url#path.in.json,…`; their median is used',
  ),
  LIGHTNING_RATE: plain(bitcoinPrice, 'a fixed price instead'),
  LIGHTNING_RATE_SECONDS: plain(integer(1, 3_600), '`60`', 'maximum age of a price'),
};

export const lightning = group({
  settings: lightningSettings,
  prefixes: ['LND_', 'LIGHTNING_'],
  needs: [
    together<typeof lightningSettings>(
      ['LND_REST_URL', 'LND_MACAROON'],
      ['LND_CERT', 'LIGHTNING_RATE', 'LIGHTNING_RATE_SOURCES', 'LIGHTNING_RATE_SECONDS'],
    ),
    (set) =>
      set.LND_REST_URL !== undefined && set.LIGHTNING_RATE === undefined
        ? {
            names: ['LIGHTNING_RATE_SOURCES'],
            because: 'LND_REST_URL is set and LIGHTNING_RATE is not',
          }
        : undefined,
  ],
  /** Absent: no top-ups by Lightning. */
  read: (set) => ({
    lnd:
      set.LND_REST_URL === undefined
        ? undefined
        : {
            restUrl: set.LND_REST_URL,
            macaroon: set.LND_MACAROON ?? '',
            cert: set.LND_CERT,
            rate: set.LIGHTNING_RATE,
            rateSources: set.LIGHTNING_RATE_SOURCES ?? [],
            rateMaxAgeMs: (set.LIGHTNING_RATE_SECONDS ?? 60) * 1_000,
          },
  }),
  describe: ({ lnd }) => [
    stated('Lightning', lnd, `LND at ${lnd?.restUrl}`, 'not configured (LND_REST_URL)'),
  ],
});
