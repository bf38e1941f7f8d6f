/** Ways to pay. */
import { baseUrl, evmAddress, evmKey, matching, text, url } from '../config-parsers.ts';
import { group, plain, secret, statedUnused, together } from '../group.ts';

const network = matching(
  /^eip155:[1-9]\d{0,18}$|^[a-z][a-z0-9-]{0,31}$/,
  'must be a network (e.g. eip155:8453 or base)',
);
const macaroon = matching(/^([0-9a-fA-F]{2})+$/, 'must be a macaroon in hex');

export const x402 = group({
  settings: {
    X402_NETWORK: plain(network, 'payments per request'),
    X402_RPC_URL: secret(url('http', 'https'), 'the same'),
    X402_PAY_TO: plain(evmAddress, 'the same'),
    X402_SIGNER_KEY: secret(evmKey, 'the same'),
    X402_ASSET: plain(evmAddress, 'the same'),
    X402_FACILITATOR_URL: plain(baseUrl, 'the same'),
  },
  prefixes: ['X402_'],
  unused: true,
  needs: [
    together(
      ['X402_PAY_TO', 'X402_NETWORK'],
      ['X402_RPC_URL', 'X402_SIGNER_KEY', 'X402_ASSET', 'X402_FACILITATOR_URL'],
    ),
    ({ X402_PAY_TO: payTo, X402_FACILITATOR_URL: facilitator }) =>
      payTo !== undefined && facilitator === undefined
        ? {
            names: ['X402_RPC_URL', 'X402_SIGNER_KEY'],
            because: 'X402_PAY_TO is set and X402_FACILITATOR_URL is not',
          }
        : undefined,
  ],
  read: (set) => ({
    x402:
      set.X402_PAY_TO === undefined
        ? undefined
        : {
            network: set.X402_NETWORK ?? '',
            payTo: set.X402_PAY_TO,
            rpcUrl: set.X402_RPC_URL,
            signerKey: set.X402_SIGNER_KEY,
            /** Absent: USDC of the network. */
            asset: set.X402_ASSET,
            facilitatorUrl: set.X402_FACILITATOR_URL,
          },
  }),
  describe: ({ x402 }) => [
    statedUnused(
      'x402',
      x402,
      `${x402?.network} to ${x402?.payTo}`,
      'not configured (X402_PAY_TO)',
    ),
  ],
});

export const stripe = group({
  settings: {
    STRIPE_SECRET_KEY: secret(
      matching(/^(sk|rk)_\w+$/, 'must be a Stripe secret key (sk_… or rk_…)'),
      'card payments',
    ),
    STRIPE_WEBHOOK_SECRET: secret(text, 'the same'),
    STRIPE_API_BASE: plain(baseUrl, 'the same'),
  },
  prefixes: ['STRIPE_'],
  unused: true,
  needs: [together(['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'], ['STRIPE_API_BASE'])],
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
    statedUnused('card', stripe, 'Stripe', 'not configured (STRIPE_SECRET_KEY)'),
  ],
});

export const lightning = group({
  settings: {
    LND_REST_URL: plain(baseUrl, 'Lightning payments'),
    LND_MACAROON: secret(macaroon, 'the same'),
    LND_CERT: plain(text, 'the same'),
  },
  prefixes: ['LND_'],
  unused: true,
  needs: [together(['LND_REST_URL', 'LND_MACAROON'], ['LND_CERT'])],
  read: (set) => ({
    lnd:
      set.LND_REST_URL === undefined
        ? undefined
        : {
            restUrl: set.LND_REST_URL,
            macaroon: set.LND_MACAROON ?? '',
            /** A PEM text or the path of one. */
            cert: set.LND_CERT,
          },
  }),
  describe: ({ lnd }) => [statedUnused('Lightning', lnd, 'LND', 'not configured (LND_REST_URL)')],
});
