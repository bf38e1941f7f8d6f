/** Wallets: their rows, the ledger over all of them, and money that follows its letter. */
import { ledger } from '../../projections/ledger/project.ts';
import { wallets as walletRows } from '../../projections/wallets/project.ts';
import { createOpenWallets } from '../../reactors/open-wallets.ts';
import { createSettleWallets } from '../../reactors/settle-wallets.ts';
import type { Wing } from '../foundation/wing.ts';

export const wallets: Wing = {
  name: 'wallets',
  projections: [walletRows, ledger],
  open: (site) => ({
    react() {
      const { config, clock, commands } = site;
      const settle = createSettleWallets({
        handler: commands.handler,
        clock,
        letter: site.shared.lettersAtHand.load,
        patienceMs: config.limits.reservationPatienceMs,
      });
      return {
        reactors: [createOpenWallets(commands), settle],
        chores: [{ what: 'sweeping reservations', everyMs: 5_000, work: () => settle.sweep() }],
      };
    },
  }),
};
