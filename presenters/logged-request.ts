/** A request of the account, as its owner sees it. */
import type { Static } from 'typebox';
import { Type } from '../ground/type.ts';
import { Nullable, Timestamp } from './common.ts';

export const LoggedRequest = Type.Named('LoggedRequest', {
  request_id: Type.String({ description: 'The `X-Request-Id` of the answer.' }),
  at: Timestamp,
  operation: Type.String({ description: 'The `operationId`.' }),
  status: Type.Integer({ description: 'The status of the answer.' }),
  code: Nullable(Type.String({ description: 'The code of the error. Null: there was no error.' })),
  key_id: Type.String({ description: 'The key, or `ucan:<cid>`.' }),
  ms: Type.Integer({ description: 'The time until the answer, ms.' }),
});

type Row = {
  request_id: string;
  at: Date;
  operation: string;
  status: number;
  code: string | null;
  key_id: string;
  ms: number;
};

export const presentLoggedRequest = ({
  request_id,
  at,
  operation,
  status,
  code,
  key_id,
  ms,
}: Row): Static<typeof LoggedRequest> => ({
  request_id,
  at: at.toISOString(),
  operation,
  status,
  code,
  key_id,
  ms,
});
