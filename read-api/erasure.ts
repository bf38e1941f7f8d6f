/** The progress of a closure: readable without a key, because the keys of the account end with it. */

import { AppError } from '../contract/errors.ts';
import { type AnyOperation, operation } from '../contract/operation.ts';
import { Type } from '../ground/type.ts';
import { Erasure, presentErasure } from '../presenters/account-closure.ts';

type ErasurePorts = {
  closureById(
    closureId: string,
  ): Promise<{ accountId: string; state: 'closing' | 'erasing' | 'erased'; at: Date } | undefined>;
  certificateOf(accountId: string): Promise<string | undefined>;
};

export const erasureOperation = (ports: ErasurePorts): AnyOperation =>
  operation({
    name: 'get_erasure',
    method: 'GET',
    path: '/api/account/closure/{closure_id}',
    tag: 'Account',
    summary: 'Read the certificate of an erasure',
    description:
      'With the `closure_id` that the closure was answered with. It names nobody, so it needs no key.',
    access: 'public',
    input: { params: Type.Object({ closure_id: Type.String({ format: 'uuid' }) }) },
    responses: { 200: { description: 'The state of the erasure', schema: Erasure } },
    errors: ['closure_not_found'],
    async handle({ params }) {
      const closureId = params.closure_id;
      const found = await ports.closureById(closureId);
      if (found === undefined) {
        throw new AppError(
          'closure_not_found',
          'There is no closure with this id, or it was taken back.',
        );
      }
      const certificate =
        found.state === 'erased' ? await ports.certificateOf(found.accountId) : undefined;
      return { body: presentErasure(closureId, found, certificate) };
    },
  });
