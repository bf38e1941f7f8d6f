/**
 * Sign-in-with-x: a wallet identifies itself without paying (CAIP-122, as the extension of x402 has it).
 * The statement that it signs names what it permits: reading, or one request by its method and path. Bound
 * to the address of the service; each signature counts once.
 */
import { createHmac, type KeyObject } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import {
  buildSIWxSchema,
  parseSIWxHeader,
  validateSIWxMessage,
  verifySIWxSignature,
} from '@x402/extensions/sign-in-with-x';
import { AppError } from '../../../contract/errors.ts';
import { type Clock, toTimestamp } from '../../../ground/clock.ts';
import { drawRandom } from '../../../ground/random.ts';
import { isMadeWith, type RotatingKey } from '../../../ground/rotating-key.ts';
import type { Permissible } from '../../../http/payment-gateway.ts';
import type { Network } from './networks.ts';

const header = 'sign-in-with-x';
/** How long a challenge is good for. */
const validMs = 300_000;
const randomDigits = 32;

const refused = (why: string): AppError =>
  new AppError(
    'sign_in_invalid',
    `The sign-in ${why}. Sign the challenge of this answer (extensions), or one from GET /x402 for this method and path.`,
  );

/** The message that a wallet signed. */
export type SignedFor = { statement: string; uri: string };

const readStatement =
  'Sign in to read the letters and the balance of this wallet. This permits no change.';

/** Wallets show it to their owner as it is. */
const statementOf = ({ method, url }: Permissible): string =>
  `Permit this one request, which may send, change, cancel or delete letters and spend the money of this wallet: ${method} ${new URL(url).pathname}`;

/** A challenge for it permits any reading. */
const generalUriOf = (baseUrl: string): string => `${baseUrl}/x402`;

export const createSignIn = (ports: {
  network: Network;
  /** Public address of the service: a message signed for another one is not valid here. */
  baseUrl: string;
  key: RotatingKey;
  clock: Clock;
  /** Whether this is the first use of a nonce. */
  use: (nonce: string, expiresAtMs: number) => Promise<boolean>;
  /** Of contracts that sign, by a node. */
  verifyMessage: NonNullable<Parameters<typeof verifySIWxSignature>[1]>['evmVerifier'];
}) => {
  const { network, baseUrl, key, clock, use, verifyMessage } = ports;
  const origin = new URL(baseUrl);
  const generalUri = generalUriOf(baseUrl);
  const schema = buildSIWxSchema();
  const supportedChains = [{ chainId: network.network, type: 'eip191' as const }];

  const tagOf = (one: KeyObject | Buffer, random: string): string =>
    createHmac('sha256', one).update(random).digest('hex').slice(0, randomDigits);

  /** Only a nonce that we made: random digits and their tag. */
  const isOurs = (nonce: string): boolean => {
    if (!/^[0-9a-f]{64}$/.test(nonce)) return false;
    const random = nonce.slice(0, randomDigits);
    return isMadeWith(key, nonce.slice(randomDigits), (one) => tagOf(one, random));
  };

  return {
    /** The message that a wallet signs for a request; a member of `extensions` in a 402 or 401. */
    challenge(request: Permissible) {
      const random = drawRandom(randomDigits / 2).toString('hex');
      const now = clock();
      return {
        info: {
          domain: origin.host,
          uri: request.url,
          statement: request.reads ? readStatement : statementOf(request),
          version: '1',
          nonce: random + tagOf(key()[0], random),
          issuedAt: toTimestamp(now),
          expirationTime: toTimestamp(now + validMs),
        },
        supportedChains,
        schema,
      };
    },

    /** @throws AppError sign_in_invalid where the statement permits something else */
    assertPermits(signed: SignedFor, request: Permissible): void {
      const isForReading = request.reads && signed.statement === readStatement;
      const isForAny = isForReading && signed.uri === generalUri;
      if (isForAny) return;
      const isForThis = isForReading || signed.statement === statementOf(request);
      if (!isForThis || signed.uri !== request.url) {
        throw refused(`does not permit ${request.method} ${new URL(request.url).pathname}`);
      }
    },

    /**
     * The address that signed in, in lower case, and what for. @throws AppError sign_in_invalid
     */
    async signerIn(
      headers: IncomingHttpHeaders,
    ): Promise<(SignedFor & { address: string }) | undefined> {
      const value = headers[header];
      if (value === undefined) return undefined;
      if (typeof value !== 'string' || value.length > 8_000) throw refused('is malformed');
      const payload = await Promise.resolve()
        .then(() => parseSIWxHeader(value))
        .catch(() => {
          throw refused('is malformed');
        });
      if (payload.chainId !== network.network) throw refused(`is not for ${network.network}`);
      if (!isOurs(payload.nonce)) throw refused('does not answer a challenge of this service');
      const valid = await validateSIWxMessage(payload, origin);
      if (!valid.isValid) throw refused('is too old, or for another service');
      const verified = await verifySIWxSignature(payload, { evmVerifier: verifyMessage });
      if (!verified.isValid) throw refused('is not signed by its address');
      if (!(await use(payload.nonce, clock() + 2 * validMs))) throw refused('was used before');
      const { uri, statement = '' } = payload;
      return { address: payload.address.toLowerCase(), uri, statement };
    },
  };
};

export type SignIn = ReturnType<typeof createSignIn>;
