import { AppError } from '../contract/errors.ts';
import type { AnyOperation } from '../contract/operation.ts';
import type { HttpContext, Rule } from './rule.ts';

const json = 'application/json';

/** The media types that an operation's answer comes in, the preferred one first. */
export const mediaTypesOf = (operation: AnyOperation): readonly string[] =>
  Object.values(operation.responses).find((response) => response.produces !== undefined)
    ?.produces ?? [json];

/** Whether browsers get pages instead of problem documents from it, because it answers pages. */
export const refusesWithPages = (operation: AnyOperation): boolean =>
  !operation.refusals && mediaTypesOf(operation).includes('text/html');

const utf8 = /;\s*charset\s*=\s*"?utf-8"?\s*(?=[;,]|$)/gi;

/**
 * The media type that `Accept` prefers; false: none. Every text is answered in UTF-8, so a media type that asks for it
 * is the media type alone.
 */
export const acceptedOf = (ctx: HttpContext, types: readonly string[]): string | false => {
  const { headers } = ctx.req;
  if (headers.accept?.includes('=')) headers.accept = headers.accept.replace(utf8, '');
  ctx.vary('Accept');
  return ctx.accepts([...types]) as string | false;
};

/**
 * Chooses the answer's media type by `Accept`. An operation with a single one answers with it
 * whatever is asked for, as RFC 9110 §12.5.1 allows.
 */
export const negotiate = (operation: AnyOperation): Rule => {
  const offered = mediaTypesOf(operation);
  const [preferred = json] = offered;
  if (offered.length < 2) {
    return (ctx, next) => {
      ctx.state.accept = preferred;
      return next();
    };
  }
  return function chooseMediaType(ctx, next) {
    const chosen = acceptedOf(ctx, offered);
    if (chosen === false && !operation.anyAccept) {
      throw new AppError('not_acceptable', `Accept must allow one of ${offered.join(', ')}.`, {
        extra: { offered },
      });
    }
    ctx.state.accept = chosen || preferred;
    return next();
  };
};
