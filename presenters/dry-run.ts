/** The outcome of a dry run, as callers read it. */
import type { Static } from 'typebox';
import { Type } from '../ground/type.ts';
import { Nullable, OneOf, Timestamp } from './common.ts';
import { Price } from './letter-schemas.ts';
import { Limit } from './policy.ts';

const outcomes = ['allowed', 'held', 'denied'] as const;
export type Outcome = (typeof outcomes)[number];

const DecidingRule = Type.Named('DecidingRule', {
  policy: Type.String({ description: '`account`, or the id of a key.' }),
  rule: Nullable(Type.String({ description: 'Null: no rule of the policy allows the letter.' })),
  limit: Type.Optional(Limit),
  used: Type.Optional(Type.Number({ description: 'USD or letters, as the limit counts.' })),
  resets_at: Type.Optional(Nullable(Timestamp)),
  time_zone: Type.Optional(
    Type.String({
      description: 'Of a limit by hour, day or month: its periods begin in this zone.',
    }),
  ),
});

export const DryRun = Type.Object(
  {
    outcome: OneOf(outcomes, 'What the policies of the account and of the key decide.'),
    rules: Type.Array(DecidingRule, {
      description:
        '`allowed`: the rules that allow the letter; empty where no policy applies. `held`: the rules that let it wait for approval. `denied`: the rules that deny it. A send names the first of them.',
    }),
    price: Price,
  },
  { title: 'DryRun', description: 'What a send would come to. Nothing was stored or charged.' },
);

export type DryRun = Static<typeof DryRun>;
