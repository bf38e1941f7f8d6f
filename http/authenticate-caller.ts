import { AppError, isAppError } from '../contract/errors.ts';
import type { AnyOperation } from '../contract/operation.ts';
import { accountBlocked } from '../contract/refusals.ts';
import { scopeCovers } from '../contract/scopes.ts';
import type { HttpOptions, Rule } from './rule.ts';

const challenge = 'Bearer realm="letters"';

const withChallenge = (error: AppError): AppError => {
  const invalid = error.code === 'authentication_required' ? '' : ', error="invalid_token"';
  return new AppError(error.code, error.message, {
    errors: error.errors,
    extra: error.extra,
    headers: { 'WWW-Authenticate': challenge + invalid, ...error.headers },
  });
};

const textOf = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header.join(',') : header;

/**
 * Finds out who is calling. A credential that is not valid is remembered, not raised, so that
 * the rate limit of the peer's address is charged for it first.
 */
export const authenticateCaller = (
  authenticate: HttpOptions['authenticate'],
  payments: HttpOptions['payments'],
  { replacedKey = false }: Pick<AnyOperation, 'replacedKey'> = {},
): Rule =>
  function findCaller(ctx, next) {
    const { headers } = ctx.req;
    const { authorization = '' } = headers;
    const found =
      authorization === ''
        ? headers['sign-in-with-x'] && payments?.signedIn(headers)
        : authenticate(authorization, textOf(headers.ucans), ctx.state.address, replacedKey);
    if (!found) return next();
    ctx.res.setHeader('Cache-Control', 'no-store');
    return found.then(
      (caller) => {
        ctx.state.caller = caller;
        return next();
      },
      (error: unknown) => {
        if (!isAppError(error) || error.status !== 401) throw error;
        ctx.state.authFailure = withChallenge(error);
        return next();
      },
    );
  };

type Asking = Pick<AnyOperation, 'access' | 'method' | 'ownKey' | 'ownWallet' | 'whileBlocked'>;

const unconfirmed = (): AppError =>
  new AppError(
    'key_unconfirmed',
    'This key was not kept when the account’s e-mail address was confirmed, so it can only read. Register the address again to get a new key by e-mail.',
  );

const readOnlySession = (): AppError =>
  new AppError(
    'scope_insufficient',
    'This session may only look. Ask for a link that may do more, or sign in with a key.',
    { extra: { required_scope: 'send', scope: 'read' } },
  );

/** Whether it changes nothing of the account: so much even an account may do that is blocked. */
export const onlyReads = ({ access, method }: Pick<AnyOperation, 'access' | 'method'>): boolean =>
  method === 'GET' || access === 'read' || access === 'public';

/**
 * Lets the request pass only with what the operation's `access` asks for. `orPaid`: without a
 * credential it goes on to where it is paid for.
 */
export const requireScope = (operation: Asking, orPaid = false): Rule => {
  const { access, ownKey, ownWallet } = operation;
  const reads = onlyReads(operation);
  const whileBlocked = operation.whileBlocked === true || reads;

  return function requireAccess(ctx, next) {
    const { caller, authFailure } = ctx.state;
    if (authFailure !== undefined) throw authFailure;
    if (access === 'public') return next();
    if (caller === undefined) {
      if (orPaid) return next();
      throw new AppError(
        'authentication_required',
        'This operation needs an API key. Send it as "Authorization: Bearer <key>". POST /auth/register answers with one, or the operator gives you one where registration is closed.',
        { headers: { 'WWW-Authenticate': challenge } },
      );
    }
    if (caller.blocked && !whileBlocked) throw accountBlocked();
    if (caller.readOnly && !reads) throw readOnlySession();
    const isOwn = ownKey === true && ctx.params.id === caller.keyId;
    const isOwner = ownWallet === true && caller.signedFor !== undefined;
    if (access === 'auth' || isOwn || isOwner || scopeCovers(caller.scope, access)) return next();
    if (caller.unconfirmed) throw unconfirmed();
    throw new AppError(
      'scope_insufficient',
      `This operation needs a key with scope "${access}"; this ${caller.ucan ? 'UCAN' : 'key'} has scope "${caller.scope}".`,
      {
        extra: { required_scope: access, scope: caller.scope },
        headers: {
          'WWW-Authenticate': `${challenge}, error="insufficient_scope", scope="${access}"`,
        },
      },
    );
  };
};
