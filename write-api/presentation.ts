import { randomUUID } from 'node:crypto';
import type { CallerDids } from '../commands/accounts/caller-did.ts';
import { lastMomentOf } from '../contract/bounds.ts';
import { AppError } from '../contract/errors.ts';
import { type AnyOperation, operation } from '../contract/operation.ts';
import { invalidField } from '../contract/refusals.ts';
import { type Clock, toTimestamp } from '../ground/clock.ts';
import { Type } from '../ground/type.ts';
import { uuidPattern } from '../ground/uuid.ts';
import type { CredentialLog } from '../identity/credential-log.ts';
import { JwtError, parseJwt } from '../identity/jwt.ts';
import { createPresentation, presentationSeconds } from '../identity/presentation.ts';
import { limitTable } from '../limits/table.ts';
import { Presentation, presentPresentation } from '../presenters/credentials.ts';

type PresentationPorts = {
  callerDids: Pick<CallerDids, 'ensure'>;
  credentials: Pick<CredentialLog, 'byEventIds'>;
  clock: Clock;
};

const maxCredentials = limitTable.presentationCredentials.usual;
const maxCredentialBytes = 16 * 1024;
const list = { minItems: 1, maxItems: maxCredentials };

const Body = Type.NamedExact('Present', {
  credentials: Type.Optional(
    Type.Array(
      Type.String({
        minLength: 1,
        maxLength: maxCredentialBytes,
        'x-max-bytes': maxCredentialBytes,
      }),
      list,
    ),
  ),
  credential_ids: Type.Optional(
    Type.Array(
      Type.String({
        pattern: `^(urn:uuid:)?${uuidPattern}$`,
        maxLength: 45,
        description:
          'The `id` of a credential, such as urn:uuid:6f1c2f6e-6d0c-5f3c-9d0f-0d1c2b3a4f5e, with or without `urn:uuid:`.',
      }),
      list,
    ),
  ),
  challenge: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 512,
      description: 'The challenge from the verifier.',
    }),
  ),
  domain: Type.Optional(
    Type.String({ minLength: 1, maxLength: 2_048, description: 'The domain of the verifier.' }),
  ),
});

const eventJti = new RegExp(`^urn:uuid:(${uuidPattern})$`);

const notFound = (): AppError =>
  new AppError(
    'credential_not_found',
    'One of the credentials was not issued to your account. GET /api/identity/credentials lists yours.',
  );

/** Id of the event that a credential of ours is about. @throws AppError credential_not_found */
const eventIdOf = (jwt: string): string => {
  try {
    const { jti } = parseJwt(jwt, { maxBytes: maxCredentialBytes }).payload;
    const [, eventId] = eventJti.exec(String(jti)) ?? [];
    if (eventId !== undefined) return eventId;
  } catch (error) {
    if (!(error instanceof JwtError)) throw error;
  }
  throw notFound();
};

export const presentationOperations = (ports: PresentationPorts): AnyOperation[] => {
  /** The credentials asked for, each once. @throws AppError credential_not_found, also for those of others */
  const own = async (
    accountId: string,
    asked: { credentials?: string[]; credential_ids?: string[] },
  ): Promise<string[]> => {
    const given = new Map((asked.credentials ?? []).map((jwt) => [eventIdOf(jwt), jwt]));
    const named = (asked.credential_ids ?? []).map((id) => id.replace('urn:uuid:', ''));
    const ids = [...new Set([...given.keys(), ...named])];
    if (ids.length === 0 || ids.length > maxCredentials) {
      const detail = `credential_ids is missing. Send 1 to ${maxCredentials} of the ids that GET /api/identity/credentials lists.`;
      throw invalidField('/credential_ids', 'required', detail);
    }
    const stored = await ports.credentials.byEventIds(ids);
    const mine = new Map(
      stored.filter((one) => one.accountId === accountId).map(({ eventId, jwt }) => [eventId, jwt]),
    );
    return ids.map((id) => {
      const jwt = mine.get(id);
      if (jwt === undefined || (given.has(id) && given.get(id) !== jwt)) throw notFound();
      return jwt;
    });
  };

  const createOne = operation({
    name: 'create_presentation',
    method: 'POST',
    path: '/api/identity/presentation',
    tag: 'Identity',
    summary: 'Bundle credentials into a signed presentation',
    description:
      'Signed with your DID, for 10 minutes or until your key expires, if that is earlier. Send the verifier’s `challenge` and `domain`, so that nobody else can use the presentation.',
    // It speaks in the name of the account.
    access: 'full',
    permit: { about: 'account' },
    input: { body: Body },
    responses: { 200: { description: 'The presentation', schema: Presentation } },
    errors: ['account_not_found', 'credential_not_found', 'did_self_custody', 'conflict'],
    async handle({ body, caller, command }) {
      const credentials = await own(caller.accountId, body);
      const holder = await ports.callerDids.ensure(caller.accountId, command);
      if (!holder.key) {
        throw new AppError(
          'did_self_custody',
          `You keep the key of ${holder.did} yourself. Sign a presentation of the credentials with it.`,
        );
      }
      const nowSeconds = Math.floor(ports.clock() / 1_000);
      const last = Math.floor(lastMomentOf(caller) / 1_000);
      const expiresAtSeconds = Math.min(nowSeconds + presentationSeconds, last);
      const { challenge, domain } = body;
      const presentation = await createPresentation(holder.key, credentials, {
        nonce: challenge ?? randomUUID(),
        domain,
        id: randomUUID(),
        nowSeconds,
        expiresAtSeconds,
      });
      const expiresAt = toTimestamp(expiresAtSeconds * 1_000);
      return {
        body: presentPresentation(presentation, {
          challenge,
          expiresAt,
          holder: holder.did,
          credentials,
        }),
        position: holder.created ? holder.position : undefined,
      };
    },
  });

  return [createOne];
};
