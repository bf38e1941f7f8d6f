/** Sign-in of operators with the identity provider of their organisation (OpenID Connect, code flow with PKCE). */
import type * as Oidc from 'openid-client';
import { ProviderAway, Refused } from '../../contract/operator-refused.ts';
import type { OperatorRights } from '../../contract/operator-session.ts';
import { keptFor } from '../../ground/kept-for.ts';

/** Everyone who has one of these. */
type People = { emails: readonly string[]; claim: { name: string; value: string } | undefined };

type OperatorOidc = {
  issuer: string;
  clientId: string;
  clientSecret: string;
  scopes: string;
  operators: People;
  auditors: People;
};

type Claims = Record<string, unknown>;

const discoveredForMs = 3_600_000;
const timeoutSeconds = 5;

/** An address counts only where the provider says that it was verified. */
const hasEmail = ({ emails }: People, claims: Claims): boolean =>
  claims.email_verified === true &&
  typeof claims.email === 'string' &&
  emails.some((one) => one.toLowerCase() === String(claims.email).toLowerCase());

const hasClaim = ({ claim }: People, claims: Claims): boolean => {
  const has = claim && claims[claim.name];
  return Array.isArray(has)
    ? has.includes(claim?.value)
    : has !== undefined && has === claim?.value;
};

/** The rights of the person; undefined: none. */
const rightsOf = (
  { operators, auditors }: Pick<OperatorOidc, 'operators' | 'auditors'>,
  claims: Claims,
): OperatorRights | undefined => {
  const isOne = (people: People) => hasEmail(people, claims) || hasClaim(people, claims);
  if (isOne(operators)) return 'operator';
  return isOne(auditors) ? 'auditor' : undefined;
};

/** Loaded when somebody signs in: most services have no identity provider. */
const load = (): Promise<typeof Oidc> => import('openid-client');

const away = (): ProviderAway =>
  new ProviderAway(
    'The identity provider does not answer. Try again in a minute, or sign in with a link: npm run operator -- console-link.',
  );

type Details = { claim?: unknown; expected?: unknown };

/** The findings of openid-client about an answer or a token, below its own errors. */
const detailsOf = ({ cause }: Error): Details =>
  (cause instanceof Error && (cause.cause as Details | undefined)) || {};

/** Sentences about the faults of a token, by its claim. */
const wrongClaims: Record<string, string> = {
  exp: 'The ID token of the identity provider has expired. Compare the clocks of both machines, and begin again.',
  nbf: 'The ID token of the identity provider is not valid yet. Compare the clocks of both machines, and begin again.',
  aud: 'The ID token of the identity provider is for another client. OPERATOR_OIDC_CLIENT_ID says which client this service is.',
  iss: 'The answer is not from the identity provider of this service, which OPERATOR_OIDC_ISSUER names. Begin again.',
  nonce: 'The ID token of the identity provider belongs to another sign-in. Begin again.',
};

const invalidSignIn = (error: Error, issuer: string): Refused => {
  const { claim, expected } = detailsOf(error);
  const name = expected === issuer ? 'iss' : String(claim);
  return new Refused(wrongClaims[name] ?? 'This sign-in is not valid. Begin again.');
};

/** The provider refused, or its answer does not belong to this sign-in. */
const notSignedIn = (oidc: typeof Oidc, error: unknown, issuer: string): Error => {
  if (error instanceof oidc.AuthorizationResponseError) {
    return new Refused(`The identity provider did not sign you in (${error.error}).`);
  }
  if (error instanceof oidc.ResponseBodyError) {
    return new Refused(`The identity provider refused the sign-in (${error.error}). Begin again.`);
  }
  if (error instanceof oidc.ClientError) {
    const isAway = error.code === 'OAUTH_TIMEOUT' || error.cause instanceof TypeError;
    return isAway ? away() : invalidSignIn(error, issuer);
  }
  return error instanceof TypeError
    ? away()
    : new Refused('This sign-in is not valid. Begin again.');
};

type Ports = {
  settings: OperatorOidc;
  /** Where the provider sends the person back to. */
  redirectUri: string;
  /** A keyed digest of a person: `opr_…`. */
  operatorOf(issuer: string, subject: string): string;
};

/**
 * All claims of the person: providers put some of them into the answer of userinfo alone. The address and its
 * verification come from one place, because the other place may name another address.
 */
const claimsOf = async (
  oidc: typeof Oidc,
  config: Oidc.Configuration,
  tokens: Awaited<ReturnType<typeof Oidc.authorizationCodeGrant>>,
): Promise<Claims & { iss: string; sub: string }> => {
  const claims = tokens.claims();
  if (!claims) throw new Refused('The identity provider sent no ID token.');
  if (config.serverMetadata().userinfo_endpoint === undefined) return claims;
  const more = await oidc.fetchUserInfo(config, tokens.access_token, claims.sub);
  const { email, email_verified } = claims.email_verified === undefined ? more : claims;
  return { ...more, ...claims, email, email_verified };
};

export const createOperatorOidc = ({ settings, redirectUri, operatorOf }: Ports) => {
  const { issuer, clientId, clientSecret, scopes } = settings;
  const isLocal = issuer.startsWith('http:');
  const discover = keptFor(discoveredForMs, async () => {
    const oidc = await load();
    return oidc.discovery(new URL(issuer), clientId, clientSecret, undefined, {
      timeout: timeoutSeconds,
      ...(isLocal ? { execute: [oidc.allowInsecureRequests] } : {}),
    });
  });
  const found = (): Promise<Oidc.Configuration> =>
    discover().catch(() => {
      throw away();
    });

  return {
    /** @throws ProviderAway */
    async begin(): Promise<{ address: string; state: string; kept: string }> {
      const [oidc, config] = [await load(), await found()];
      const [state, nonce] = [oidc.randomState(), oidc.randomNonce()];
      const verifier = oidc.randomPKCECodeVerifier();
      const address = oidc.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: scopes,
        state,
        nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      return { address: address.href, state, kept: [nonce, verifier].join('.') };
    },

    /** @param begun what `begin` gave the browser @throws ProviderAway, Refused */
    async finish(
      query: URLSearchParams,
      { state: expectedState, kept }: { state: string; kept: string },
    ): Promise<{ operator: string; rights: OperatorRights }> {
      const [expectedNonce, pkceCodeVerifier, ...rest] = kept.split('.');
      if (!expectedState || !expectedNonce || !pkceCodeVerifier || rest.length > 0) {
        throw new Refused('This sign-in did not begin in this browser, or took too long.');
      }
      const [oidc, config] = [await load(), await found()];
      const back = new URL(`${redirectUri}?${query}`);
      const checks = { expectedState, expectedNonce, pkceCodeVerifier, idTokenExpected: true };
      const claims = await oidc
        .authorizationCodeGrant(config, back, checks)
        .then((tokens) => claimsOf(oidc, config, tokens))
        .catch((error: unknown) => {
          throw error instanceof Refused
            ? error
            : notSignedIn(oidc, error, config.serverMetadata().issuer);
        });
      const rights = rightsOf(settings, claims);
      if (rights) return { operator: operatorOf(claims.iss, claims.sub), rights };
      throw new Refused(
        'You are signed in with your organisation, and may not use this console. OPERATOR_OIDC_EMAILS and OPERATOR_OIDC_CLAIM say who may.',
      );
    },
  };
};
