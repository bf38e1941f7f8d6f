import type { AnyOperation } from '../contract/operation.ts';
import { maxJsonValues } from '../ground/json-bounds.ts';
import type { Limits } from '../limits/table.ts';
import { largestBody } from './largest-body.ts';

/** Limits on the body of a request, applied before its schema. */
export type BodyRules = {
  maxBytes: number;
  /** Besides the file in it. */
  maxRestBytes: number;
  maxValues: number;
  /** Whether it may come as `multipart/form-data`. */
  forms: boolean;
};

/** Small bodies cost nothing, and a refusal by the schema says more than one by size. */
const leastBytes = 16 * 1024;
const leastValues = 1_000;

type BodyLimits = Pick<Limits, 'bodyBytes' | 'documentBytes'>;

/** A document grows by a third in base64. */
export const uploadBytes = ({ documentBytes, bodyBytes }: BodyLimits): number =>
  Math.ceil(documentBytes / 3) * 4 + bodyBytes;

/**
 * Limits on the body of an operation: as much as the largest valid one needs, and at most the configured
 * limits. Undefined: it takes no body.
 */
export const bodyRulesOf = (
  { input, upload = false }: Pick<AnyOperation, 'input' | 'upload'>,
  limits: BodyLimits,
): BodyRules | undefined => {
  if (!input.body) return undefined;
  const { bytes, values } = largestBody(input.body);
  const most = upload ? uploadBytes(limits) : limits.bodyBytes;
  const maxBytes = Math.min(most, Math.max(leastBytes, Math.ceil(bytes / 1024) * 1024));
  return {
    maxBytes,
    maxRestBytes: Math.min(maxBytes, limits.bodyBytes),
    maxValues: Math.min(maxJsonValues, Math.max(leastValues, values)),
    forms: upload,
  };
};

/** Values of a message besides the body of the operation that it calls. */
const envelopeValues = 1_000;

/** Limits on a message of another protocol that calls one of these operations. */
export const messageRulesOf = (
  calls: readonly Pick<AnyOperation, 'input'>[],
  limits: BodyLimits,
): BodyRules => {
  const values = calls.map((operation) => bodyRulesOf(operation, limits)?.maxValues ?? 0);
  return {
    maxBytes: limits.bodyBytes,
    maxRestBytes: limits.bodyBytes,
    maxValues: Math.min(maxJsonValues, Math.max(0, ...values) + envelopeValues),
    forms: false,
  };
};
