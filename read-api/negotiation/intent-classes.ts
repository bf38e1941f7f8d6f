import { type AnyOperation, operation } from '../../contract/operation.ts';
import { IntentClasses, presentIntentClasses } from '../../presenters/intent-classes.ts';

export const intentClassesOperation = (): AnyOperation =>
  operation({
    name: 'list_intent_classes',
    method: 'GET',
    path: '/api/anp/intent-classes',
    tag: 'Negotiation',
    summary: 'The six intent classes',
    description:
      'What a letter can be for, with the SLA and the proof that go with it, its surcharge, and the weights by which the tiers of an offer are scored.',
    access: 'public',
    input: {},
    responses: { 200: { description: 'By priority, the highest first', schema: IntentClasses } },
    errors: [],
    handle: () => ({ body: presentIntentClasses() }),
  });
