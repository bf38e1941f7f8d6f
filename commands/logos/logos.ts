/** Logos that are uploaded once and named in letters. An image lies in the blob store, under its own data key. */

import { hash, randomUUID } from 'node:crypto';
import { AppError, isAppError } from '../../contract/errors.ts';
import { invalidField } from '../../contract/refusals.ts';
import { documentStoreRefusal } from '../../contract/store-refusals.ts';
import type { DataKeys } from '../../events/data-keys.ts';
import { openBytes, sealBytes } from '../../events/sealing.ts';
import { type Clock, toTimestamp } from '../../ground/clock.ts';
import type { CallerRef } from '../../limits/turn.ts';
import type { CommandContext } from '../handling/fold.ts';
import type { CommandHandler } from '../handling/handle.ts';
import type { BlobStore, ClaimStorage } from '../preparation/blob-store.ts';
import type { Documents } from '../preparation/documents.ts';
import {
  deleteLogo,
  deleteLogoOf,
  expireLogo,
  type LogoBook,
  logoBookAggregate,
  logoEndsAt,
  type UploadedLogo,
  uploadLogo,
  useLogo,
} from './logo-book.ts';

/** Blobs of this prefix are logos. */
export const logoBlobPrefix = 'logo-';

type LogoPorts = {
  handler: CommandHandler;
  dataKeys: DataKeys;
  blobs: Pick<BlobStore, 'put' | 'get' | 'delete'>;
  claim: ClaimStorage;
  documents: Pick<Documents, 'checkLogo'>;
  clock: Clock;
  /** Undefined: logos are kept until they are deleted. */
  retentionDays: number | undefined;
  /** Keyed digest, base64url. */
  indexOf: (kind: string, value: string) => string;
};

const bookOf = async (handler: CommandHandler, accountId: string): Promise<LogoBook> =>
  (await handler.load(logoBookAggregate, accountId)).state;

const idOf = (indexOf: LogoPorts['indexOf'], accountId: string, image: Buffer): string => {
  const digest = indexOf('logo', `${accountId}\n${hash('sha256', image, 'hex')}`);
  return `logo_${Buffer.from(digest, 'base64url').toString('hex').slice(0, 32)}`;
};

const storeImage = async (
  { claim, dataKeys, blobs }: LogoPorts,
  accountId: string,
  key: string,
  image: Buffer,
): Promise<void> => {
  await claim(accountId, [{ key, bytes: image }]);
  const sealed = sealBytes(image, await dataKeys.create(key), key);
  await blobs.put(key, sealed).catch((error: unknown) => {
    throw documentStoreRefusal(error);
  });
};

/** Forgets an image for good. Safe to repeat. */
const eraseImage = async ({ dataKeys, blobs }: LogoPorts, blob: string): Promise<void> => {
  await dataKeys.erase(blob);
  await blobs.delete(blob);
};

/** A use that is not recorded now is recorded with the next one: no letter fails because of it. */
const recordUse = async (
  { handler, clock }: LogoPorts,
  accountId: string,
  logoId: string,
  book: LogoBook,
): Promise<void> => {
  const command = { type: 'UseLogo' as const, accountId, logoId, now: toTimestamp(clock()) };
  if (useLogo(book, command).length === 0) return;
  const context = { commandId: randomUUID(), actor: 'logos' };
  await handler
    .handle(logoBookAggregate, accountId, context, (now) => useLogo(now, command))
    .catch(() => {});
};

/** Deletes a logo that was not used for RETENTION_DAYS. Says whether it did. */
const createExpire =
  (ports: LogoPorts) =>
  async (accountId: string, blob: string): Promise<boolean> => {
    const { handler, clock, retentionDays } = ports;
    if (retentionDays === undefined) return false;
    const command = {
      type: 'ExpireLogo' as const,
      accountId,
      blob,
      retentionDays,
      now: toTimestamp(clock()),
    };
    const context = { commandId: randomUUID(), actor: 'reactor:sweep-logos' };
    const { events } = await handler.handle(logoBookAggregate, accountId, context, (book) =>
      expireLogo(book, command),
    );
    if (events.length > 0) await eraseImage(ports, blob);
    return events.length > 0;
  };

/** During a restore, an earlier version could erase an image without an event. Such a logo blocks no new upload. */
const endErased = async (
  { handler, dataKeys }: LogoPorts,
  accountId: string,
  logoId: string,
): Promise<void> => {
  const blob = (await bookOf(handler, accountId)).logos.get(logoId)?.blob;
  if (blob === undefined || (await dataKeys.get(blob))) return;
  const context = { commandId: randomUUID(), actor: 'logos' };
  await handler.handle(logoBookAggregate, accountId, context, (book) =>
    deleteLogoOf(book, { accountId, blob }),
  );
};

/**
 * Keeps an image; the same one again is the logo that there is.
 * @throws AppError validation_failed, logo_limit_reached, quota_exceeded, idempotency_key_reused,
 * store_unavailable
 */
const createUpload =
  (ports: LogoPorts) =>
  async (
    accountId: string,
    image: Buffer,
    context: CommandContext & { requestHash: string; repeatable: boolean; by: CallerRef },
  ): Promise<{ logo: UploadedLogo; position: bigint; replayed: boolean }> => {
    const { width, height } = await ports.documents.checkLogo(image, context.by);
    const logoId = idOf(ports.indexOf, accountId, image);
    await endErased(ports, accountId, logoId);
    const { requestHash, repeatable, commandId: requestId } = context;
    const data = {
      accountId,
      logoId,
      requestId,
      requestHash,
      width,
      height,
      blob: `${logoBlobPrefix}${randomUUID()}`,
      mediaType: mediaTypeOf(image),
      bytes: image.length,
    };
    const command = { type: 'UploadLogo' as const, data, repeatable };
    const wanted = uploadLogo(await bookOf(ports.handler, accountId), command);
    const isNew = wanted.some((event) => event.data.blob === data.blob);
    const discard = (): Promise<void> => eraseImage(ports, data.blob).catch(() => {});
    try {
      if (isNew) await storeImage(ports, accountId, data.blob, image);
      const outcome = await ports.handler.handle(logoBookAggregate, accountId, context, (book) =>
        uploadLogo(book, command),
      );
      const { logos, requests } = outcome.state;
      const logo = requests.get(requestId)?.logo ?? logos.get(logoId);
      if (!logo)
        throw new AppError('conflict', 'The logo was deleted in the meantime. Upload it again.');
      if (isNew && logo.blob !== data.blob) await discard();
      if (!isNew) await recordUse(ports, accountId, logoId, outcome.state);
      return { logo, position: outcome.position, replayed: outcome.events.length === 0 };
    } catch (error) {
      // Of any other error it is not known whether the logo was kept.
      if (isNew && isAppError(error)) await discard();
      throw error;
    }
  };

/** The image of a logo, for a letter of its account. @throws AppError validation_failed, store_unavailable */
const createRead =
  (ports: LogoPorts) =>
  async (accountId: string, logoId: string): Promise<Buffer> => {
    const { handler, dataKeys, blobs } = ports;
    const book = await bookOf(handler, accountId);
    const logo = book.logos.get(logoId);
    const dataKey = logo && (await dataKeys.get(logo.blob));
    const sealed =
      logo &&
      (await blobs.get(logo.blob).catch((error: unknown) => {
        throw documentStoreRefusal(error);
      }));
    if (dataKey && sealed) {
      await recordUse(ports, accountId, logoId, book);
      return openBytes(sealed, dataKey, logo.blob);
    }
    const detail = `This account has no logo ${logoId}. GET /api/logos lists its logos, POST /api/logos uploads one.`;
    throw invalidField('/logo', 'logo_not_found', detail);
  };

export type Logos = ReturnType<typeof createLogos>;

const mediaTypeOf = (bytes: Buffer): UploadedLogo['mediaType'] =>
  bytes[0] === 0x89 ? 'image/png' : 'image/jpeg';

export const createLogos = (ports: LogoPorts) => {
  const { handler, retentionDays } = ports;

  return {
    erase: (blob: string): Promise<void> => eraseImage(ports, blob),
    expire: createExpire(ports),
    upload: createUpload(ports),
    read: createRead(ports),

    /** When it is deleted unless it is used before; null: when its owner deletes it. */
    expiresAt: (logo: UploadedLogo): string | null =>
      retentionDays === undefined ? null : toTimestamp(logoEndsAt(logo, retentionDays)),

    /** Newest first. */
    async list(accountId: string): Promise<UploadedLogo[]> {
      return [...(await bookOf(handler, accountId)).logos.values()].toReversed();
    },

    /** Letters that have it keep it. @throws AppError logo_not_found */
    async delete(accountId: string, logoId: string, context: CommandContext): Promise<bigint> {
      const command = { type: 'DeleteLogo' as const, accountId, logoId };
      const { events, position } = await handler.handle(
        logoBookAggregate,
        accountId,
        context,
        (book) => deleteLogo(book, command),
      );
      for (const { type, data } of events)
        if (type === 'LogoDeleted') await eraseImage(ports, data.blob);
      return position;
    },

    /** Whether an image is that of a logo still. */
    async isKept(accountId: string, blob: string): Promise<boolean> {
      return [...(await bookOf(handler, accountId)).logos.values()].some(
        (logo) => logo.blob === blob,
      );
    },
  };
};
