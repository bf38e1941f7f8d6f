/** Wallets: their rows, and money that follows its letter. */
import { wallets as walletRows } from '../projections/wallets/project.ts';
import { createOpenWallets } from '../reactors/open-wallets.ts';
import { createSettleWallets } from '../reactors/settle-wallets.ts';
import type { Wing } from './wing.ts';

export const wallets: Wing = {
  name: 'wallets',
  projections: [walletRows],
  open: ({ config, clock, commands }) => ({
    react() {
      const settle = createSettleWallets({
        ...{ handler: commands.handler, clock },
        patienceMs: config.limits.reservationPatienceMs,
      });
      return {
        reactors: [createOpenWallets(commands), settle],
        chores: [{ what: 'sweeping reservations', everyMs: 5_000, work: () => settle.sweep() }],
      };
    },
  }),
};
