import { parse as parseQuery } from 'node:querystring';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { AppError } from '../contract/errors.ts';
import type { AnyOperation } from '../contract/operation.ts';
import { Type } from '../ground/type.ts';
import { fieldErrors } from './field-errors.ts';
import { notPlainJson } from './plain-json.ts';
import { refusesQuery } from './refuse-undescribed.ts';
import { inOrder, type Rule } from './rule.ts';
import { validationFailed } from './validation-failed.ts';
import type { Validators } from './validator.ts';

const echoMax = 80;

const given = (value: unknown): string =>
  typeof value === 'string' && value.length <= echoMax ? JSON.stringify(value) : 'This path';

const formOf = (error: ErrorObject | undefined): string =>
  error?.keyword === 'format' && error.params.format === 'uuid'
    ? '; ids of this kind are UUIDs'
    : '';

/** A path with parameters of another form names nothing: 404, with the parameter named. */
const validateParams = (validate: ValidateFunction): Rule =>
  function validatePathParameters(ctx, next) {
    const params = { ...ctx.params };
    if (validate(params) && notPlainJson(params) === undefined) {
      ctx.state.params = params;
      return next();
    }
    const name = validate.errors?.[0]?.instancePath.slice(1) ?? '';
    throw new AppError(
      'not_found',
      name === ''
        ? 'There is nothing at this path. Check its parameters.'
        : `${given(params[name])} is not a valid ${name}${formOf(validate.errors?.[0])}.`,
    );
  };

/** Whether every percent-encoding is complete and makes UTF-8. */
const decodes = (text: string): boolean => {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
};

const noQuery = Type.Exact({});

const validateQuery = (validate: ValidateFunction): Rule =>
  function validateQueryString(ctx, next) {
    const text = ctx.querystring;
    if (text.includes('%') && !decodes(text)) {
      throw new AppError(
        'invalid_encoding',
        'The query string is not percent-encoded UTF-8. Encode each "%" as "%25".',
      );
    }
    const query: Record<string, unknown> = { ...parseQuery(text, '&', '=', { maxKeys: 0 }) };
    const unprintable = notPlainJson(query);
    if (unprintable !== undefined) {
      throw validationFailed([{ ...unprintable, pointer: `/query${unprintable.pointer}` }]);
    }
    if (!validate(query)) {
      throw validationFailed(
        fieldErrors(validate.errors ?? [], { prefix: '/query', top: 'The query' }),
      );
    }
    ctx.state.query = query;
    return next();
  };

/** The query stays out of the state: fingerprints of requests that came without one must not change. */
const refuseQuery = (validate: ValidateFunction): Rule => {
  const check = validateQuery(validate);
  return function refuseQueryString(ctx, next) {
    if (ctx.querystring === '') return next();
    return check(ctx, () => {
      ctx.state.query = undefined;
      return next();
    });
  };
};

const validateBody = (validate: ValidateFunction): Rule =>
  function validateJsonBody(ctx, next) {
    const { body } = ctx.state;
    const tooMuch = notPlainJson(body);
    if (tooMuch !== undefined) throw validationFailed([tooMuch]);
    if (!validate(body)) {
      throw validationFailed(fieldErrors(validate.errors ?? [], { prefix: '', top: 'The body' }));
    }
    const { file } = ctx.state;
    if (file) ctx.state.body = { ...(body as object), [file.name]: file.bytes };
    return next();
  };

/** Checks path parameters (404), query and body (422) against the operation's schemas. */
export const validateInput = (operation: AnyOperation, validators: Validators): Rule => {
  const { input } = operation;
  const rules: Rule[] = [];
  if (input.params) rules.push(validateParams(validators.coercing(input.params)));
  if (input.query) rules.push(validateQuery(validators.coercing(input.query)));
  else if (refusesQuery(operation)) rules.push(refuseQuery(validators.coercing(noQuery)));
  if (input.body) rules.push(validateBody(validators.exact(input.body)));
  return inOrder(rules);
};
