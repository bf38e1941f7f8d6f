/** How the people who run the service sign in to their console. */
import { ConfigError, isPrivateOnTheWay, listOf, matching, text, url } from '../config-parsers.ts';
import { group, plain, secret, stated, together } from '../group.ts';

const email = matching(/^[^\s@,]+@[^\s@,]+$/, 'must be e-mail addresses, separated by commas');
const claim = matching(/^[^\s=]+=\S.*$/, 'must be a claim and its value, such as groups=operators');

/** `groups=operators` as its two parts. */
const partsOf = (wanted: string | undefined) => {
  if (wanted === undefined) return undefined;
  const at = wanted.indexOf('=');
  return { name: wanted.slice(0, at), value: wanted.slice(at + 1) };
};

export const operators = group({
  settings: {
    OPERATOR_OIDC_ISSUER: plain(
      url('https', 'http'),
      'identity provider (OpenID Connect) with which operators sign in to [their console](console.md#operators); absent: they sign in by a link of `console-link`',
    ),
    OPERATOR_OIDC_CLIENT_ID: plain(text, 'required with the issuer: the client id of the service'),
    OPERATOR_OIDC_CLIENT_SECRET: secret(text, 'required with the issuer: its secret'),
    OPERATOR_OIDC_SCOPES: plain(
      matching(/^(?=.*\bopenid\b)[\x21-\x7e ]+$/, 'must be scopes with openid among them'),
      '`openid email`',
      'scopes that are asked for, separated by blanks',
    ),
    OPERATOR_OIDC_EMAILS: plain(
      listOf(email),
      'verified e-mail addresses of operators, separated by commas; this or `OPERATOR_OIDC_CLAIM` is required with the issuer',
    ),
    OPERATOR_OIDC_CLAIM: plain(
      claim,
      'a claim that operators have, such as `groups=letters-operators`; a claim that is a list must contain the value',
    ),
    OPERATOR_OIDC_AUDITOR_EMAILS: plain(listOf(email), 'the same of auditors, who only read'),
    OPERATOR_OIDC_AUDITOR_CLAIM: plain(claim, 'the same of auditors'),
  },
  prefixes: ['OPERATOR_'],
  needs: [
    together(
      ['OPERATOR_OIDC_ISSUER', 'OPERATOR_OIDC_CLIENT_ID', 'OPERATOR_OIDC_CLIENT_SECRET'],
      [
        'OPERATOR_OIDC_SCOPES',
        'OPERATOR_OIDC_EMAILS',
        'OPERATOR_OIDC_CLAIM',
        'OPERATOR_OIDC_AUDITOR_EMAILS',
        'OPERATOR_OIDC_AUDITOR_CLAIM',
      ],
    ),
  ],
  check({ OPERATOR_OIDC_ISSUER: issuer, OPERATOR_OIDC_EMAILS: emails, OPERATOR_OIDC_CLAIM: one }) {
    if (issuer === undefined) return;
    // The code and the secret go over TLS, or do not leave the machine.
    if (!isPrivateOnTheWay(issuer)) {
      throw new ConfigError('OPERATOR_OIDC_ISSUER must be https; http is for this machine only');
    }
    if (emails !== undefined || one !== undefined) return;
    throw new ConfigError(
      'OPERATOR_OIDC_EMAILS or OPERATOR_OIDC_CLAIM must be set because OPERATOR_OIDC_ISSUER is set',
    );
  },
  read: (set) => ({
    operatorOidc:
      set.OPERATOR_OIDC_ISSUER === undefined
        ? undefined
        : {
            issuer: set.OPERATOR_OIDC_ISSUER,
            clientId: set.OPERATOR_OIDC_CLIENT_ID ?? '',
            clientSecret: set.OPERATOR_OIDC_CLIENT_SECRET ?? '',
            scopes: set.OPERATOR_OIDC_SCOPES ?? 'openid email',
            operators: {
              emails: set.OPERATOR_OIDC_EMAILS ?? [],
              claim: partsOf(set.OPERATOR_OIDC_CLAIM),
            },
            auditors: {
              emails: set.OPERATOR_OIDC_AUDITOR_EMAILS ?? [],
              claim: partsOf(set.OPERATOR_OIDC_AUDITOR_CLAIM),
            },
          },
  }),
  describe: ({ operatorOidc }) => [
    stated(
      'operators',
      operatorOidc,
      `sign in with ${operatorOidc?.issuer}`,
      'sign in by a link (npm run operator -- console-link)',
    ),
  ],
});
