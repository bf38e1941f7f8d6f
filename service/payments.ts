/** Payments: requests that are paid one by one (x402). */
import { createIntake } from '../commands/payments/intake.ts';
import { createPayerAccounts } from '../commands/payments/payer-account.ts';
import { payments as paymentRows } from '../projections/payments/project.ts';
import { openPayments } from '../projections/payments/query.ts';
import { createFinishPayments } from '../reactors/payments/finish-payments.ts';
import { x402Operation } from '../read-api/x402.ts';
import type { Site, Wing } from './wing.ts';

const openX402 = async ({ config, commands, keys, clock }: Site) => {
  const { x402 } = config;
  if (!x402) return undefined;
  // Loaded where it is used: without payments the service does without a chain's client.
  const { createRail } = await import('../infra/payments/x402/rail.ts');
  const { createPaymentDoor } = await import('../infra/payments/x402/door.ts');
  const { network, payTo, readPriceMicro } = x402;
  const payers = createPayerAccounts({ ...commands, indexOf: keys.indexOf });
  const intake = createIntake({ ...commands, rail: createRail(x402), payers, clock });
  return { intake, door: createPaymentDoor({ intake, network, payTo, readPriceMicro }) };
};

export const payments: Wing = {
  name: 'payments',
  projections: [paymentRows],
  async open(site) {
    const { config, baseUrl, clock, storage } = site;
    const x402 = await openX402(site);
    return {
      read: () => [x402Operation(baseUrl, config.x402)],
      ...(x402 ? { payments: x402.door } : {}),
      react() {
        if (!x402) return {};
        const finish = createFinishPayments({
          ...{ intake: x402.intake, clock },
          openPayments: (until, limit) => openPayments(storage.readDb, until, limit),
        });
        return {
          reactors: [finish],
          chores: [{ what: 'finishing payments', everyMs: 10_000, work: () => finish.sweep() }],
        };
      },
    };
  },
};
