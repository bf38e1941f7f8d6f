import type { CommandHandler } from '../commands/handling/handle.ts';
import { creditFunds } from '../commands/wallets/credits.ts';
import { openWallet, walletAggregate } from '../commands/wallets/wallet.ts';
import { AppError } from '../contract/errors.ts';
import { type AnyOperation, operation } from '../contract/operation.ts';
import type { Clock } from '../ground/clock.ts';
import { Type } from '../ground/type.ts';
import { limitTable } from '../limits/table.ts';
import { decimalOf } from '../money/amounts.ts';
import { sum } from '../money/buckets.ts';

/** $100.00, as a test account begins with. */
const fullMicro = 100_000_000n;
const everyMs = limitTable.testRefillMinutes.usual * 60_000;

type TestWalletPorts = { handler: CommandHandler; clock: Clock };

const Refilled = Type.Named('RefilledTestWallet', {
  added: Type.Number({ description: 'USD.' }),
  available: Type.Number(),
  test: Type.Literal(true),
});

const tooSoon = (waitMs: number): AppError =>
  new AppError(
    'quota_exceeded',
    'Test money can be refilled once an hour. Try again later, or register another test account.',
    { headers: { 'Retry-After': String(Math.ceil(waitMs / 1_000)) } },
  );

export const testWalletOperation = ({ handler, clock }: TestWalletPorts): AnyOperation =>
  operation({
    name: 'refill_test_wallet',
    method: 'POST',
    path: '/api/test/wallet',
    tag: 'Test mode',
    summary: 'Fill the wallet of a test account up to $100.00',
    description: 'Works once an hour. Does nothing if the wallet already has that much.',
    access: 'send',
    permit: { about: 'wallet' },
    input: {},
    responses: { 200: { description: 'The added amount and the new balance', schema: Refilled } },
    errors: ['test_mode_only', 'quota_exceeded', 'conflict'],
    async handle({ caller, command }) {
      const { accountId } = caller;
      if (!caller.test) {
        throw new AppError(
          'test_mode_only',
          'Only the wallet of a test account (svc_test_…) can be refilled. Top up a live wallet with money.',
        );
      }
      const now = clock();
      const period = Math.floor(now / everyMs);
      const id = `test-grant-${period}`;
      const { state, events, position } = await handler.handle(
        walletAggregate,
        accountId,
        command,
        (wallet) => {
          const amountMicro = fullMicro - sum(wallet.available);
          if (amountMicro <= 0n) return [];
          if (wallet.receipts.has(id)) throw tooSoon((period + 1) * everyMs - now);
          const receipt = { method: 'test_grant' as const, id };
          return [
            ...openWallet(wallet, { type: 'OpenWallet', accountId, test: true }),
            ...creditFunds(wallet, { type: 'CreditFunds', receipt, bucket: 'fiat', amountMicro }),
          ];
        },
      );
      const credited = events.find((event) => event.type === 'FundsCredited');
      const addedMicro = credited ? BigInt(credited.data.amountMicro) : 0n;
      const available = decimalOf(sum(state.available));
      return { body: { added: decimalOf(addedMicro), available, test: true }, position };
    },
  });
