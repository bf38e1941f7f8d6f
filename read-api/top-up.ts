import { type AnyOperation, operation } from '../contract/operation.ts';
import { Type } from '../ground/type.ts';
import { presentTopUp, TopUpAnswer, type TopUpView } from '../presenters/top-up.ts';

type TopUpReader = {
  /** @throws AppError topup_not_found, also for another account's */
  read(topUpId: string, accountId: string): Promise<{ topUp: TopUpView; position: bigint }>;
};

export const topUpStateOperation = ({ topUps }: { topUps: TopUpReader }): AnyOperation =>
  operation({
    name: 'get_top_up',
    method: 'GET',
    path: '/api/topup/{topup_id}',
    tag: 'Wallet',
    summary: 'Get the state of a top-up',
    description:
      'Poll it after the payment: `status` changes from `pending` to `paid` or `expired`, and `credited` is the amount added to the wallet.',
    access: 'read',
    permit: { about: 'wallet' },
    payable: true,
    input: { params: Type.Object({ topup_id: Type.String({ format: 'uuid' }) }) },
    responses: { 200: { description: 'The top-up', schema: TopUpAnswer } },
    errors: ['topup_not_found'],
    async handle({ params, caller }) {
      const { topUp, position } = await topUps.read(params.topup_id, caller.accountId);
      // The account reads its balance next, which must contain the payment reported here.
      return { body: presentTopUp(topUp), position };
    },
  });
