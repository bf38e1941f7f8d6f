import Type from 'typebox';
import { letterAggregate } from '../../commands/letters/letter.ts';
import { AppError } from '../../contract/errors.ts';
import { type AnyOperation, operation } from '../../contract/operation.ts';
import { OneOf } from '../../presenters/common.ts';
import { LetterDetail } from '../../presenters/letter-schemas.ts';
import { commandOf, freshness, type LetterContext } from '../context.ts';
import { assertOwn, currentLetter, LetterParams } from './own-letter.ts';
import { advance, steps } from './simulated-way.ts';

/** Moves a test letter: to the next step, to `to`, or through an event that ends its way. */
export const advanceOperation = (context: LetterContext): AnyOperation =>
  operation({
    name: 'advance_test_letter',
    method: 'POST',
    path: '/api/test/letters/{id}/advance',
    tag: 'Test mode',
    summary: 'Move a test letter along its way',
    description: 'Without a body: one step. `to`: up to that status. `event`: returned or failed.',
    access: 'send',
    input: {
      params: LetterParams,
      body: Type.Object(
        { to: Type.Optional(OneOf(steps)), event: Type.Optional(OneOf(['returned', 'failed'])) },
        { additionalProperties: false, title: 'AdvanceLetter' },
      ),
    },
    responses: { 200: { description: 'The letter after the step', schema: LetterDetail } },
    errors: ['letter_not_found', 'test_mode_only', 'letter_not_advanceable', 'conflict'],
    async handle(request) {
      const { params, body, caller } = request;
      if (!caller.test) {
        throw new AppError(
          'test_mode_only',
          'Only a test key (svc_test_…) can advance a letter; live letters move when they move.',
        );
      }
      const asked = { name: 'advance_test_letter', request };
      const { position } = await context.handler.handle(
        letterAggregate,
        params.id,
        commandOf(asked),
        (letter, version) => {
          assertOwn(letter, caller.accountId, undefined, version);
          return advance(letter, body, params.id);
        },
      );
      const settled = await context.settle(params.id, commandOf(asked));
      const last = settled > position ? settled : position;
      const caughtUp = await context.waitFor(['letters', 'wallets', 'notifications'], last);
      const { version, body: letter } = await currentLetter(context, params.id);
      return { version, body: letter, headers: freshness(caughtUp), position: last };
    },
  });
