/** The mech: letters for a marketplace of agents, paid in xDAI. */

import { limitTable } from '../../../limits/table.ts';
import {
  evmAddress,
  evmKey,
  integer,
  matching,
  oneOf,
  text,
  url,
  webhookSecret,
} from '../config-parsers.ts';
import { chosen, group, plain, secret, stated } from '../group.ts';

const id = integer(1, Number.MAX_SAFE_INTEGER);
const xdai = matching(/^\d{1,9}(\.\d{1,18})?$/, 'must be an amount in xDAI (e.g. 2.5)');

const weiOf = (amount: string): bigint => {
  const [whole = '', decimals = ''] = amount.split('.');
  return BigInt(whole + decimals.padEnd(18, '0'));
};

/** The marketplace on Gnosis. Source: valory-xyz/ai-registry-mech, docs/configuration.json. */
const gnosisMarketplace = '0x735FAAb1c4Ec41128c367AFb5c3baC73509f70bB';

const { mechLettersPerDay: letters, mechXdaiPerDay: spent } = limitTable;

export const mech = group({
  settings: {
    MECH_MODE: plain(
      oneOf('test', 'live'),
      'off',
      '`live`: serves the mech marketplace; `test`: needs no proof of payment, and letters are not printed',
    ),
    MECH_ACCOUNT: plain(
      text,
      'required with `live`; `test` has its own',
      'account whose wallet pays for the letters of the mech',
    ),
    MECH_COORDINATOR_SECRET: secret(
      webhookSecret,
      '`whsec_…`, shared with the coordinator, which signs the requests that it forwards',
    ),
    MECH_COORDINATOR_ADDRESS: plain(
      evmAddress,
      'address of the coordinator, which signs with the key of that address',
    ),
    MECH_RPC_URL: secret(
      url('http', 'https'),
      'a node of the chain; requests on the marketplace then count as proof of payment',
    ),
    MECH_ADDRESS: plain(evmAddress, 'required with `MECH_RPC_URL`: address of your mech'),
    MECH_MARKETPLACE: plain(evmAddress, `\`${gnosisMarketplace}\``, 'address of the marketplace'),
    MECH_CHAIN_ID: plain(integer(1, 2 ** 52), '`100`', 'chain of the marketplace; 100 is Gnosis'),
    MECH_AGENT_ID: plain(id, 'shown by `/api/mech/info`'),
    MECH_COMPONENT_ID: plain(id, 'the same'),
    MECH_SERVICE_ID: plain(id, 'the same'),
    MECH_OWNER: plain(evmAddress, 'the same'),
    MECH_DAILY_LETTERS: plain(
      integer(letters.least, letters.most),
      `\`${letters.usual}\``,
      letters.means,
    ),
    MECH_DAILY_XDAI: plain(xdai, `\`${spent.usual}\``, spent.means),
    MECH_SIGNER_KEY: secret(
      evmKey,
      'accepted but not used: the operator of the mech delivers on chain',
    ),
  },
  prefixes: ['MECH_'],
  needs: [
    chosen('MECH_MODE', 'live', ['MECH_ACCOUNT']),
    ({ MECH_MODE: mode, MECH_RPC_URL: rpc, MECH_COORDINATOR_SECRET: shared, ...rest }) =>
      mode === 'live' && !(rpc ?? shared ?? rest.MECH_COORDINATOR_ADDRESS)
        ? {
            names: ['MECH_COORDINATOR_SECRET'],
            because:
              'MECH_MODE is live and neither MECH_COORDINATOR_ADDRESS nor MECH_RPC_URL is set',
          }
        : undefined,
    ({ MECH_RPC_URL: rpc }) =>
      rpc === undefined ? undefined : { names: ['MECH_ADDRESS'], because: 'MECH_RPC_URL is set' },
  ],
  /** Without `mode` it is off; its identity is shown anyway. */
  read: (set) => ({
    mech: {
      mode: set.MECH_MODE,
      account: set.MECH_ACCOUNT,
      coordinatorSecret: set.MECH_COORDINATOR_SECRET,
      coordinatorAddress: set.MECH_COORDINATOR_ADDRESS,
      rpcUrl: set.MECH_RPC_URL,
      address: set.MECH_ADDRESS,
      marketplace: set.MECH_MARKETPLACE ?? gnosisMarketplace,
      chainId: set.MECH_CHAIN_ID ?? 100,
      agentId: set.MECH_AGENT_ID,
      componentId: set.MECH_COMPONENT_ID,
      serviceId: set.MECH_SERVICE_ID,
      owner: set.MECH_OWNER,
      caps: {
        letters: set.MECH_DAILY_LETTERS ?? letters.usual,
        wei: weiOf(set.MECH_DAILY_XDAI ?? String(spent.usual)),
      },
    },
  }),
  describe: ({ mech }) => [stated('mech', mech.mode, `${mech.mode}`, 'not configured (MECH_MODE)')],
});
