/** Links that sign a person in to the console. */

import { AppError } from '../contract/errors.ts';
import {
  type AnyOperation,
  type Caller,
  operation,
  type RequestCommand,
} from '../contract/operation.ts';
import { Type } from '../ground/type.ts';
import { ConsoleLink, presentConsoleLink } from '../presenters/console-link.ts';

/** Makes links; each works once. */
type ConsoleLinks = {
  /** @throws AppError conflict, idempotency_key_reused, scope_insufficient */
  make(
    caller: Caller,
    wanted: { readOnly: boolean; lifetimeMs: number },
    command: RequestCommand,
  ): Promise<{ token: string; createdAt: Date; expiresAt: Date; replayed: boolean }>;
};

const usualSeconds = 600;
const mostSeconds = 86_400;

export const consoleLinkOperation = ({
  links,
  urlOf,
}: {
  links: ConsoleLinks;
  /** The address of the page that a link opens. */
  urlOf: (token: string) => string;
}): AnyOperation =>
  operation({
    name: 'create_console_link',
    method: 'POST',
    path: '/api/console-links',
    tag: 'Console',
    summary: 'Make a link that signs a person in to the console',
    description:
      'A program gives the link to its human, who opens it and presses a button. The link works once. The session may do what the key or UCAN of this request may do, or only look with `read_only`, and ends with that key or UCAN. Opening the page does not use up the link, so programs that scan mails do no harm.',
    access: 'auth',
    permit: { judgesItself: true },
    idempotent: true,
    answersSecret: true,
    withoutSecret: 'Make another link under a new Idempotency-Key.',
    input: {
      body: Type.NamedExact('CreateConsoleLink', {
        read_only: Type.Optional(
          Type.Boolean({
            description: 'The session may look and do nothing else. Default: false.',
          }),
        ),
        expires_in: Type.Optional(
          Type.Integer({
            minimum: 60,
            maximum: mostSeconds,
            description: `Seconds in which the link must be used. Default: ${usualSeconds}. The session lasts longer.`,
          }),
        ),
      }),
    },
    responses: { 201: { description: 'The link', schema: ConsoleLink } },
    errors: ['conflict'],
    examples: [
      { summary: 'To look only, for an hour', body: { read_only: true, expires_in: 3_600 } },
    ],
    async handle({ body, caller, command }) {
      if (caller.wallet) {
        throw new AppError(
          'scope_insufficient',
          'A wallet has no key that a session could end with. Use an API key or a UCAN.',
        );
      }
      const { read_only: readOnly = false, expires_in: seconds = usualSeconds } = body;
      const wanted = { readOnly, lifetimeMs: seconds * 1_000 };
      const { token, createdAt, expiresAt, replayed } = await links.make(caller, wanted, command);
      return {
        body: presentConsoleLink(urlOf(token), expiresAt),
        replayed,
        answeredAt: createdAt.toISOString(),
      };
    },
  });
