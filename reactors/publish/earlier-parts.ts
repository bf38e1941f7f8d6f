/**
 * Parts that the served schemas of earlier event versions share. A served schema never changes, so do not edit a part:
 * add another one.
 */

import type { TSchema } from 'typebox';
import { Type } from '../../ground/type.ts';

export type Members = Record<string, TSchema>;

export const id = Type.String({ minLength: 1, maxLength: 64 });
export const instant = Type.String({ minLength: 20, maxLength: 30 });
export const country = Type.String({ minLength: 2, maxLength: 2 });
export const count = Type.Integer({ minimum: 1 });
export const countOrZero = Type.Integer({ minimum: 0 });
export const amount = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
export const amountOrZero = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
export const basisPoints = Type.Integer({ minimum: 1, maximum: 10_000 });
export const contentKind = Type.Literals(['text', 'html', 'pdf']);
