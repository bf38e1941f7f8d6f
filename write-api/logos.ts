/** Logos that are uploaded once, for many letters. */

import type { UploadedLogo } from '../commands/logos/logo-book.ts';
import type { Logos as LogoStore } from '../commands/logos/logos.ts';
import {
  imageIn,
  logoBytesMax,
  logoIdPattern,
  logoPixelsMax,
} from '../commands/preparation/stationery.ts';
import { type AnyOperation, operation } from '../contract/operation.ts';
import { Type } from '../ground/type.ts';
import { callerRefOf } from '../limits/turn.ts';
import { DeletedLogo, Logo, Logos, presentLogo } from '../presenters/logos.ts';

const path = '/api/logos';
const common = { tag: 'Letters', permit: { about: 'settings' as const } };

export const logoOperations = (logos: LogoStore): AnyOperation[] => {
  const present = (logo: UploadedLogo) =>
    presentLogo({ ...logo, expiresAt: logos.expiresAt(logo) });
  return [
    operation({
      ...common,
      name: 'upload_logo',
      method: 'POST',
      path,
      summary: 'Upload a logo',
      description:
        'Letters refer to it as `logo`. Uploading the same image again returns the same logo. The logo is kept until you delete it, or until it is unused for the number of days that the operator keeps letters (`expires_at`). It counts towards the quota of stored bytes.',
      access: 'send',
      idempotent: true,
      input: {
        body: Type.NamedExact('UploadLogo', {
          logo: Type.String({
            minLength: 1,
            maxLength: Math.ceil(logoBytesMax / 3) * 4 + 40,
            'x-max-bytes': Math.ceil(logoBytesMax / 3) * 4 + 40,
            description: `A PNG or JPEG as data URI (data:image/png;base64,…), at most ${logoBytesMax} bytes and ${logoPixelsMax} pixels.`,
          }),
        }),
      },
      responses: { 201: { description: 'The logo', schema: Logo } },
      errors: ['logo_limit_reached', 'quota_exceeded', 'conflict', 'store_unavailable'],
      examples: [
        {
          summary: 'A black dot',
          body: {
            logo: 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
          },
        },
      ],
      async handle({ body, caller, command, address }) {
        const uploaded = await logos.upload(caller.accountId, imageIn(body.logo), {
          ...command,
          by: callerRefOf(caller, address),
        });
        const { logo, position, replayed } = uploaded;
        return { body: present(logo), position, replayed: replayed && command.repeatable };
      },
    }),
    operation({
      ...common,
      name: 'list_logos',
      method: 'GET',
      path,
      summary: 'List uploaded logos',
      description: 'Each logo has the `logo_id` that a letter refers to.',
      access: 'read',
      input: {},
      responses: { 200: { description: 'Newest first', schema: Logos } },
      errors: [],
      async handle({ caller }) {
        return { body: { data: (await logos.list(caller.accountId)).map(present) } };
      },
    }),
    operation({
      ...common,
      name: 'delete_logo',
      method: 'DELETE',
      path: `${path}/{id}`,
      summary: 'Delete a logo for good',
      description: 'Drafts and letters that were sent with it keep it.',
      access: 'full',
      whileBlocked: true,
      input: { params: Type.Object({ id: Type.String({ pattern: logoIdPattern }) }) },
      responses: { 200: { description: 'The logo is deleted', schema: DeletedLogo } },
      errors: ['logo_not_found', 'conflict', 'store_unavailable'],
      async handle({ params: { id }, caller, command }) {
        const position = await logos.delete(caller.accountId, id, command);
        return { body: { logo_id: id, deleted: true as const }, position };
      },
    }),
  ];
};
