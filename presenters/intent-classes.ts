/** The intent classes as callers see them: the table that prices, offers and reports go by. */
import type { Static } from 'typebox';
import { Type } from '../ground/type.ts';
import { decimalOf, microOfCents } from '../money/amounts.ts';
import { intentClasses } from '../postal/intents.ts';
import { proofLevels } from '../postal/services.ts';
import { intents } from '../postal/types.ts';
import { OneOf, Usd } from './common.ts';

const Weight = Type.Number({ minimum: 0, maximum: 1 });

export const IntentClasses = Type.Named('IntentClasses', {
  data: Type.Array(
    Type.Object({
      intent: OneOf(intents),
      priority: Type.Integer({ minimum: 1, description: '1 is the highest.' }),
      sla_days: Type.Integer({ description: 'Business days.' }),
      use_case: Type.String(),
      proof: Type.String({ description: 'In words.' }),
      proof_level: OneOf(proofLevels, 'Required of a service.'),
      surcharge: Usd,
      currency: Type.Literal('USD'),
      weights: Type.Object(
        { cost: Weight, speed: Weight, proof: Weight, reliability: Weight },
        { description: 'Weights that score the tiers of an offer; their sum is 1.' },
      ),
    }),
  ),
});

export const presentIntentClasses = (): Static<typeof IntentClasses> => ({
  data: intents.map((intent, index) => {
    const { slaDays, useCase, proof, proofLevel, surchargeCents, weights } = intentClasses[intent];
    return {
      intent,
      priority: index + 1,
      sla_days: slaDays,
      use_case: useCase,
      proof,
      proof_level: proofLevel,
      surcharge: decimalOf(microOfCents(surchargeCents)),
      currency: 'USD' as const,
      weights: { ...weights },
    };
  }),
});
