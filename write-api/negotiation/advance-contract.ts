import type { CommandHandler } from '../../commands/handling/handle.ts';
import {
  contractOf,
  endPeriod,
  volumeContractAggregate,
} from '../../commands/negotiation/volume-contract.ts';
import { AppError } from '../../contract/errors.ts';
import { type AnyOperation, operation } from '../../contract/operation.ts';
import { contractNotFound } from '../../contract/refusals.ts';
import { Type } from '../../ground/type.ts';

export const advanceContractOperation = (ports: {
  handler: CommandHandler;
  /** Told of each period that ended, so that its discount ends at once. */
  ended(contractId: string, number: number): void;
}): AnyOperation =>
  operation({
    name: 'advance_test_contract',
    method: 'POST',
    path: '/api/test/contracts/{contract_id}/advance',
    tag: 'Test mode',
    summary: 'End the period of a volume contract of a test account',
    description:
      'Ends the first open period at once, without waiting for its end and its days of grace. Its result (fulfilled, or breached and billed) follows within seconds, as for live contracts. Live keys get 403.',
    access: 'send',
    permit: { about: 'account' },
    input: {
      params: Type.Object({ contract_id: Type.String({ minLength: 1, maxLength: 64 }) }),
    },
    responses: {
      200: {
        description: 'The period that ended',
        schema: Type.Named('EndedPeriod', {
          contract_id: Type.String(),
          ended_period: Type.Integer(),
          message: Type.String(),
        }),
      },
    },
    errors: ['test_mode_only', 'contract_not_found', 'contract_over', 'conflict'],
    async handle({ params: { contract_id: contractId }, caller, command }) {
      if (!caller.test) {
        throw new AppError(
          'test_mode_only',
          'Only contracts of a test account can be advanced. A live contract ends at the end of its term.',
        );
      }
      let number = 0;
      const { version, position } = await ports.handler.handle(
        volumeContractAggregate,
        caller.accountId,
        command,
        (state) => {
          const contract = contractOf(state, contractId);
          if (!contract) {
            throw contractNotFound();
          }
          const open = contract.periods.find(({ ended }) => !ended);
          if (!open) {
            throw new AppError('contract_over', 'Every period of the contract has already ended.');
          }
          number = open.number;
          return endPeriod(state, { type: 'EndPeriod', contractId, number, now: 'whenever' });
        },
      );
      ports.ended(contractId, number);
      const message = `Period ${number} ended and is settled within seconds. Read the contract to see the result.`;
      return {
        body: { contract_id: contractId, ended_period: number, message },
        version,
        position,
      };
    },
  });
