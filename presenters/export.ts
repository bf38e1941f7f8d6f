/** Exports of an account, as callers see them. */
import type { Static } from 'typebox';
import { Type } from '../ground/type.ts';
import { Nullable, OneOf, Timestamp } from './common.ts';

export const Export = Type.Named('Export', {
  export_id: Type.String({ format: 'uuid' }),
  status: OneOf(['making', 'ready', 'failed']),
  requested_at: Timestamp,
  expires_at: Nullable({
    ...Timestamp,
    description: 'When the archive is removed. Null until it is ready.',
  } as typeof Timestamp),
  letters: Type.Integer({ description: 'Letters that were put into the archive so far.' }),
  parts: Type.Integer({
    description: 'Zip files that the archive consists of. Large accounts have more than one.',
  }),
  bytes: Type.Integer({ description: 'Size of all parts together, as they were made.' }),
});

export const presentExport = (row: {
  exportId: string;
  state: 'making' | 'ready' | 'failed';
  requestedAt: Date;
  expiresAt: Date;
  letters: number;
  partBytes: readonly bigint[];
}): Static<typeof Export> => ({
  export_id: row.exportId,
  status: row.state,
  requested_at: row.requestedAt.toISOString(),
  expires_at: row.state === 'ready' ? row.expiresAt.toISOString() : null,
  letters: row.letters,
  parts: row.partBytes.length,
  bytes: row.partBytes.reduce((sum, bytes) => sum + Number(bytes), 0),
});
