import { evmAddress, evmKey, integer, oneOf, url } from '../config-parsers.ts';
import { chosen, group, plain, secret, statedUnused } from '../group.ts';

export const mech = group({
  settings: {
    MECH_MODE: plain(oneOf('test', 'live'), 'mech tool'),
    MECH_RPC_URL: secret(url('http', 'https'), 'the same'),
    MECH_ADDRESS: plain(evmAddress, 'the same'),
    MECH_SIGNER_KEY: secret(evmKey, 'the same'),
    MECH_SERVICE_ID: plain(integer(1, Number.MAX_SAFE_INTEGER), 'the same'),
  },
  prefixes: ['MECH_'],
  unused: true,
  needs: [chosen('MECH_MODE', 'live', ['MECH_RPC_URL', 'MECH_ADDRESS', 'MECH_SIGNER_KEY'])],
  read: (set) => ({
    mech:
      set.MECH_MODE === undefined
        ? undefined
        : {
            mode: set.MECH_MODE,
            rpcUrl: set.MECH_RPC_URL,
            address: set.MECH_ADDRESS,
            signerKey: set.MECH_SIGNER_KEY,
            serviceId: set.MECH_SERVICE_ID,
          },
  }),
  describe: ({ mech }) => [
    statedUnused('mech', mech, mech?.mode ?? '', 'not configured (MECH_MODE)'),
  ],
});
