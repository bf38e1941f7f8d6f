import { AppError } from '../contract/errors.ts';
import { type BodyLimits, receiveBody } from './receive-body.ts';
import type { HttpContext, Rule } from './rule.ts';
import { bodyTooLarge, wholeBody } from './whole-body.ts';

/** A form of ours has some forty fields. */
const fieldsMax = 200;

const formType = /^application\/x-www-form-urlencoded\s*(?:;\s*charset="?utf-8"?\s*)?$/i;

/** @throws AppError unsupported_media_type, body_too_large */
const checkHead = ({ req }: HttpContext, maxBytes: number): void => {
  const { headers } = req;
  if (!formType.test(headers['content-type'] ?? '')) {
    throw new AppError(
      'unsupported_media_type',
      'The body must be a form. Send Content-Type: application/x-www-form-urlencoded.',
    );
  }
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new AppError('unsupported_media_type', 'The body must not be compressed.');
  }
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw bodyTooLarge(maxBytes);
};

const fieldsOf = (bytes: Buffer): URLSearchParams => {
  const form = new URLSearchParams(bytes.toString('utf8'));
  if (form.size <= fieldsMax) return form;
  throw new AppError('invalid_form', `The form has more than ${fieldsMax} fields.`);
};

/** Reads the fields of a form into `state.body`. Other methods than POST have none. */
export const readForm = (limits: BodyLimits, maxBytes: number): Rule =>
  async function readFormFields(ctx, next) {
    ctx.state.body = new URLSearchParams();
    if (ctx.method !== 'POST') return next();
    checkHead(ctx, maxBytes);
    const receiving = receiveBody(ctx, limits);
    try {
      const chunks = await wholeBody(ctx.req, receiving, maxBytes);
      ctx.state.body = fieldsOf(Buffer.concat(chunks));
      return await next();
    } finally {
      receiving.giveBack();
    }
  };
