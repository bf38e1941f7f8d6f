/** Uploaded logos, as callers see them. */
import type { Static } from 'typebox';
import type { LogoEvent } from '../events/logo.ts';
import { Type } from '../ground/type.ts';
import { Nullable, OneOf, Timestamp } from './common.ts';

export const Logo = Type.Named('Logo', {
  logo_id: Type.String({ description: 'Send it as `logo` of a letter.' }),
  media_type: OneOf(['image/png', 'image/jpeg'] as const),
  bytes: Type.Integer(),
  width: Type.Integer({ description: 'Pixels.' }),
  height: Type.Integer({ description: 'Pixels.' }),
  created_at: Timestamp,
  expires_at: Nullable({
    ...Timestamp,
    description:
      'When it is deleted, unless a letter or quote uses it before or you upload it again. Null: it stays until you delete it.',
  }),
});

export const Logos = Type.Named('Logos', { data: Type.Array(Logo) });

export const DeletedLogo = Type.Named('DeletedLogo', {
  logo_id: Type.String(),
  deleted: Type.Literal(true),
});

type UploadedLogo = Pick<
  Extract<LogoEvent, { type: 'LogoUploaded' }>['data'],
  'logoId' | 'mediaType' | 'bytes' | 'width' | 'height'
> & { createdAt: string; expiresAt: string | null };

export const presentLogo = (logo: UploadedLogo): Static<typeof Logo> => ({
  logo_id: logo.logoId,
  media_type: logo.mediaType,
  bytes: logo.bytes,
  width: logo.width,
  height: logo.height,
  created_at: logo.createdAt,
  expires_at: logo.expiresAt,
});
