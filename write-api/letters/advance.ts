import type { CommandHandler } from '../../commands/handling/handle.ts';
import { letterAggregate } from '../../commands/letters/letter.ts';
import { AppError } from '../../contract/errors.ts';
import { type AnyOperation, operation } from '../../contract/operation.ts';
import { Type } from '../../ground/type.ts';
import { OneOf } from '../../presenters/common.ts';
import { LetterDetail } from '../../presenters/letter-schemas.ts';
import {
  assertOwn,
  currentLetter,
  LetterParams,
  type ReadLetter,
  type SettleWallet,
  settledAt,
  shown,
} from './own-letter.ts';
import { advance, steps } from './simulated-way.ts';

export type AdvancePorts = {
  handler: CommandHandler;
  settle: SettleWallet;
  readLetter: ReadLetter;
};

/** Moves a test letter: to the next step, to `to`, or through an event that ends its way. */
export const advanceOperation = (ports: AdvancePorts): AnyOperation =>
  operation({
    name: 'advance_test_letter',
    method: 'POST',
    path: '/api/test/letters/{id}/advance',
    tag: 'Test mode',
    summary: 'Advance a test letter',
    description:
      'Without a body, the letter advances one step. With `to`, it advances to that status. With `event`, it is returned or fails.',
    access: 'send',
    permit: { about: 'letter-in-path', honours: ['letter_id'] },
    input: {
      params: LetterParams,
      body: Type.NamedExact('AdvanceLetter', {
        to: Type.Optional(OneOf(steps)),
        event: Type.Optional(OneOf(['returned', 'failed'])),
      }),
    },
    responses: { 200: { description: 'The letter after the step', schema: LetterDetail } },
    errors: [
      'letter_not_found',
      'letter_deleted',
      'test_mode_only',
      'letter_not_advanceable',
      'conflict',
    ],
    async handle({ params, body, caller, command }) {
      if (!caller.test) {
        throw new AppError(
          'test_mode_only',
          'Only a test key (svc_test_…) can advance a letter. Live letters advance by themselves.',
        );
      }
      const { position } = await ports.handler.handle(
        letterAggregate,
        params.id,
        command,
        (letter, version) => {
          assertOwn(letter, caller.accountId, undefined, version);
          return advance(letter, body, params.id);
        },
      );
      const last = await settledAt(ports, params.id, position, command);
      return { ...shown(await currentLetter(ports, params.id)), position: last };
    },
  });
