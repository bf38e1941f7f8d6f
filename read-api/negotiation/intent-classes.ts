import { type AnyOperation, operation } from '../../contract/operation.ts';
import { IntentClasses, presentIntentClasses } from '../../presenters/intent-classes.ts';

export const intentClassesOperation = (): AnyOperation =>
  operation({
    name: 'list_intent_classes',
    method: 'GET',
    path: '/api/anp/intent-classes',
    tag: 'Negotiation',
    summary: 'List the six intent classes',
    description:
      'A class says what a letter is for. It sets the SLA and the proof, the surcharge, and the weights that score the tiers of an offer.',
    access: 'public',
    input: {},
    responses: { 200: { description: 'By priority, highest first', schema: IntentClasses } },
    errors: [],
    handle: () => ({ body: presentIntentClasses() }),
  });
