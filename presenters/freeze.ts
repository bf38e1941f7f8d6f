/** Freezes, as callers read them. */
import { Type } from '../ground/type.ts';
import { Nullable, Timestamp } from './common.ts';

const Subject = Type.String({
  description:
    '`account`, the id of a key, or `ucan:<cid>`. A key that replaces another is named by the id of the first one.',
});

export const Freeze = Type.Named('Freeze', {
  subject: Subject,
  frozen: Type.Boolean(),
  since: Nullable({ ...Timestamp, description: 'Null: it is not frozen.' } as typeof Timestamp),
});

export const FrozenList = Type.Named('FrozenList', {
  data: Type.Array(Type.Object({ subject: Subject, since: Timestamp }), { maxItems: 501 }),
});

export const presentFreeze = ({
  subject,
  since,
}: {
  subject: string;
  since: string | undefined;
}) => ({ subject, frozen: since !== undefined, since: since ?? null });
