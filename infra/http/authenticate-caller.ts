import { AppError, isAppError } from '../../contract/errors.ts';
import type { Access } from '../../contract/operation.ts';
import { scopeCovers } from '../../contract/scopes.ts';
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

/**
 * Finds out who is calling. A credential that is not valid is remembered, not raised, so that
 * the rate limit of the peer's address is charged for it first.
 */
export const authenticateCaller = (authenticate: HttpOptions['authenticate']): Rule =>
  function findCaller(ctx, next) {
    const header = ctx.req.headers.authorization;
    if (header === undefined || header === '') return next();
    ctx.res.setHeader('Cache-Control', 'no-store');
    const { ucans } = ctx.req.headers;
    return authenticate(header, Array.isArray(ucans) ? ucans.join(',') : ucans).then(
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

/**
 * Lets the request pass only with what the operation's `access` asks for. `orPaid`: without a
 * credential it goes on to where it is paid for.
 */
export const requireScope = (access: Access, orPaid = false): Rule =>
  function requireAccess(ctx, next) {
    const { caller, authFailure } = ctx.state;
    if (authFailure !== undefined) throw authFailure;
    if (access === 'public') return next();
    if (caller === undefined) {
      if (orPaid) return next();
      throw new AppError(
        'authentication_required',
        'This needs an API key: send it as "Authorization: Bearer <key>".',
        { headers: { 'WWW-Authenticate': challenge } },
      );
    }
    if (access === 'auth' || scopeCovers(caller.scope, access)) return next();
    throw new AppError(
      'scope_insufficient',
      `This needs a key with scope "${access}"; the key has scope "${caller.scope}".`,
      {
        extra: { required_scope: access, scope: caller.scope },
        headers: {
          'WWW-Authenticate': `${challenge}, error="insufficient_scope", scope="${access}"`,
        },
      },
    );
  };
