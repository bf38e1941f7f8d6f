import type { UcanDelegator } from '../../commands/ucans/delegate-ucan.ts';
import { type AnyOperation, operation } from '../../contract/operation.ts';
import { invalidField } from '../../contract/refusals.ts';
import { scopes } from '../../contract/scopes.ts';
import { Type } from '../../ground/type.ts';
import { caveatNames } from '../../identity/ucan/caveats.ts';
import type { Capabilities } from '../../identity/ucan/token.ts';
import type { Limits } from '../../limits/table.ts';
import { OneOf, withElsewhere } from '../../presenters/common.ts';
import { issuedAnswer, issuedResponses } from './issued-answer.ts';
import {
  Audience,
  assertAudience,
  Cid,
  Lifetime,
  Proofs,
  Token,
  usualLifetime,
} from './schemas.ts';

export type DelegatePorts = { delegator: UcanDelegator; limits: Limits };

/** Said with every finding about the form of `capabilities`. */
const form =
  'Capabilities are resource → ability → list of caveats: {"letters://<account_id>/": {"letters/read": [{"countries": ["DE"]}], "letters/send": [{"countries": ["DE"], "max_letters": 10}]}}. GET /api/balance has the account_id.';

const Scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);
const CapabilitiesAsked = ({ ucanBytes }: Limits) =>
  Type.Record(
    Type.String(),
    Type.Record(
      Type.String(),
      Type.Array(
        Type.Record(Type.String(), Type.Union([Scalar, Type.Array(Scalar)]), { 'x-hint': form }),
        {
          minItems: 1,
          'x-hint': form,
        },
      ),
      { 'x-hint': form },
    ),
    {
      description: 'Resource → ability → caveats, as in the field `cap` of a token.',
      'x-hint': form,
      'x-max-bytes': 2 * ucanBytes,
    },
  );

const DelegateBody = (limits: Limits) =>
  withElsewhere(
    Type.NamedExact('DelegateUcan', {
      audience: Audience,
      scope: Type.Optional(OneOf(scopes)),
      capabilities: Type.Optional(CapabilitiesAsked(limits)),
      token: Type.Optional(Token(limits)),
      cid: Type.Optional(Cid),
      proofs: Type.Optional(Proofs(limits)),
      expires_in: Type.Optional(Lifetime(limits)),
    }),
    caveatNames,
    `Caveats are a part of capabilities. ${form}`,
  );

/** @throws AppError validation_failed */
const wantedOf = (body: { scope?: 'full' | 'send' | 'read'; capabilities?: unknown }) => {
  const { scope, capabilities } = body;
  if (scope !== undefined && capabilities === undefined) return { scope };
  if (
    scope === undefined &&
    capabilities !== undefined &&
    Object.keys(capabilities as object).length > 0
  ) {
    return { capabilities: capabilities as Capabilities };
  }
  throw invalidField(
    '/scope',
    'one_of',
    'Send exactly one of scope and capabilities, and not empty. Only capabilities have caveats.',
  );
};

export const delegateOperation = ({ delegator, limits }: DelegatePorts): AnyOperation =>
  operation({
    name: 'delegate_ucan',
    method: 'POST',
    path: '/api/identity/delegate',
    tag: 'Identity',
    summary: 'Delegate capabilities to another DID',
    description:
      'Signs with the key of your DID, which the service keeps. You can delegate the `token`, the token with the `cid`, or the UCAN of your request; without any of these, you delegate a new root of your account. The result never grants more, and never lives longer, than its source. Caveats need `capabilities`.',
    access: 'auth',
    permit: { judgesItself: true },
    idempotent: true,
    answersSecret: true,
    input: { body: DelegateBody(limits) },
    responses: issuedResponses,
    errors: [
      'delegation_escalates',
      'delegation_invalid',
      'did_self_custody',
      'policy_protected',
      'ucan_not_found',
      'account_not_found',
      'conflict',
    ],
    examples: [
      {
        summary: 'Letters to Germany, ten at most',
        body: {
          audience: 'did:key:z6MknGc3ocHs3zdPiJbnaaqDi58NGb4pk1Sp9WxWufuXSdxf',
          capabilities: {
            'letters://acct_4uPzq1/': {
              'letters/read': [{ countries: ['DE'] }],
              'letters/send': [{ countries: ['DE'], max_letters: 10 }],
            },
          },
          expires_in: 3_600,
        },
      },
    ],
    async handle({ body, caller, command }) {
      const { audience, token, cid, proofs, expires_in: lifetime } = body;
      assertAudience(audience);
      const lifetimeSeconds = lifetime ?? usualLifetime(limits);
      const wanted = { audience, token, cid, proofs, wanted: wantedOf(body), lifetimeSeconds };
      return issuedAnswer(await delegator.delegate(wanted, { ...command, caller }));
    },
  });
