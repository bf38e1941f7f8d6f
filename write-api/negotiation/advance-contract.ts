import Type from 'typebox';
import type { CommandHandler } from '../../commands/handling/handle.ts';
import {
  contractOf,
  endPeriod,
  volumeContractAggregate,
} from '../../commands/negotiation/volume-contract.ts';
import { AppError } from '../../contract/errors.ts';
import { type AnyOperation, operation } from '../../contract/operation.ts';

export const advanceContractOperation = (ports: { handler: CommandHandler }): AnyOperation =>
  operation({
    name: 'advance_test_contract',
    method: 'POST',
    path: '/api/test/contracts/{contract_id}/advance',
    tag: 'Test mode',
    summary: 'End the period of a volume contract of a test account',
    description:
      'Ends the first period whose count is open, without waiting for its end and its days of grace. What follows (fulfilled, or breached and billed) comes within seconds, as it does for live contracts. 403 with a live key.',
    access: 'send',
    permit: { about: 'account' },
    input: {
      params: Type.Object({ contract_id: Type.String({ minLength: 1, maxLength: 64 }) }),
    },
    responses: {
      200: {
        description: 'The period that ended',
        schema: Type.Object(
          { contract_id: Type.String(), ended_period: Type.Integer(), message: Type.String() },
          { title: 'EndedPeriod' },
        ),
      },
    },
    errors: ['test_mode_only', 'contract_not_found', 'contract_over', 'conflict'],
    async handle({ params: { contract_id: contractId }, caller, command }) {
      if (!caller.test) {
        throw new AppError(
          'test_mode_only',
          'Only contracts of a test account can be advanced; a live one ends when it says.',
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
            throw new AppError(
              'contract_not_found',
              'There is no contract with this id in your account.',
            );
          }
          const open = contract.periods.find(({ ended }) => !ended);
          if (!open) {
            throw new AppError('contract_over', 'Every period of the contract has ended already.');
          }
          number = open.number;
          return endPeriod(state, { type: 'EndPeriod', contractId, number, now: 'whenever' });
        },
      );
      const message = `Period ${number} ended; it is settled within seconds. Read the contract to see how.`;
      return {
        body: { contract_id: contractId, ended_period: number, message },
        ...{ version, position },
      };
    },
  });
