import type { UcanIssuer } from '../../commands/ucans/issue-ucan.ts';
import { type AnyOperation, operation } from '../../contract/operation.ts';
import { scopes } from '../../contract/scopes.ts';
import { Type } from '../../ground/type.ts';
import { caveatNames } from '../../identity/ucan/caveats.ts';
import type { Limits } from '../../limits/table.ts';
import { OneOf, withElsewhere } from '../../presenters/common.ts';
import { issuedAnswer, issuedResponses } from './issued-answer.ts';
import { Audience, assertAudience, Lifetime, usualLifetime } from './schemas.ts';

export type IssuePorts = { issuer: UcanIssuer; limits: Limits };

export const issueOperation = ({ issuer, limits }: IssuePorts): AnyOperation =>
  operation({
    name: 'issue_ucan',
    method: 'POST',
    path: '/api/identity/ucan',
    tag: 'Identity',
    summary: 'Issue a UCAN capability token',
    description:
      'For your own DID, or another `audience`. It reaches what a key with this scope reaches, and no more than your own credential. It is a bearer token: its holder can act with it.',
    access: 'auth',
    permit: {
      refused:
        'A UCAN cannot make a new root, which would outlive it. Delegate it with POST /api/identity/delegate.',
    },
    idempotent: true,
    answersSecret: true,
    input: {
      body: withElsewhere(
        Type.NamedExact('IssueUcan', {
          scope: OneOf(scopes),
          audience: Type.Optional(Audience),
          expires_in: Type.Optional(Lifetime(limits)),
        }),
        ['capabilities', ...caveatNames],
        'To limit a token by caveats, send audience and capabilities to POST /api/identity/delegate.',
      ),
    },
    responses: issuedResponses,
    errors: ['account_not_found', 'conflict'],
    examples: [{ summary: 'An hour of sending', body: { scope: 'send', expires_in: 3_600 } }],
    async handle({ body, caller, command }) {
      const { scope, audience, expires_in: lifetime } = body;
      assertAudience(audience);
      const lifetimeSeconds = lifetime ?? usualLifetime(limits);
      const wanted = { scope, audience, lifetimeSeconds };
      return issuedAnswer(await issuer.issue(wanted, { ...command, caller }));
    },
  });
