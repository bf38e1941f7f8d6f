/** The logos of an account: uploaded once, named by the letters that have them, deleted. */

import { AppError } from '../../contract/errors.ts';
import { keyReused } from '../../contract/refusals.ts';
import { type LogoEvent, logosStream } from '../../events/logo.ts';
import { dayMs } from '../../ground/day.ts';
import { type PersistentMap, persistentMap } from '../../ground/persistent-map.ts';
import { limitError } from '../../limits/limit-error.ts';
import { defaultLimits } from '../../limits/table.ts';
import type { Aggregate } from '../handling/aggregate.ts';

type Uploaded = Extract<LogoEvent, { type: 'LogoUploaded' }>['data'];

export type UploadedLogo = Omit<Uploaded, 'accountId' | 'requestId' | 'requestHash'> & {
  createdAt: string;
  /** To the day; see `useLogo`. */
  usedAt: string;
};

export type LogoBook = {
  logos: PersistentMap<string, UploadedLogo>;
  /** Answers to requests, by the id of their command. */
  requests: PersistentMap<string, { requestHash: string; logo: UploadedLogo }>;
};

/** CHOICE: of one account, at the same time. */
const { logosPerAccount: maxLogos } = defaultLimits;

export const initialState = (): LogoBook => ({
  logos: persistentMap(),
  requests: persistentMap(),
});

const isUseNews = ({ usedAt }: UploadedLogo, at: string): boolean =>
  Date.parse(at) - Date.parse(usedAt) >= dayMs;

export const evolve = (state: LogoBook, event: LogoEvent, at: string): LogoBook => {
  switch (event.type) {
    case 'LogoUploaded': {
      const { accountId: _, requestId, requestHash, ...data } = event.data;
      const found = state.logos.get(data.logoId) ?? { ...data, createdAt: at, usedAt: at };
      const logo = isUseNews(found, at) ? { ...found, usedAt: at } : found;
      return {
        logos: state.logos.with(logo.logoId, logo),
        requests: state.requests.with(requestId, { requestHash, logo }),
      };
    }
    case 'LogoUsed': {
      const logo = state.logos.get(event.data.logoId);
      if (!logo) return state;
      return { ...state, logos: state.logos.with(logo.logoId, { ...logo, usedAt: at }) };
    }
    case 'LogoDeleted':
      return { ...state, logos: state.logos.without(event.data.logoId) };
    default: {
      const unknown: never = event;
      return unknown;
    }
  }
};

type UploadLogo = {
  type: 'UploadLogo';
  data: Uploaded;
  /** The request may come again. */
  repeatable: boolean;
};

/**
 * Uploading the same image again returns the existing logo.
 * @throws AppError idempotency_key_reused, logo_limit_reached
 */
export const uploadLogo = (
  state: LogoBook,
  { data, repeatable }: UploadLogo,
): Extract<LogoEvent, { type: 'LogoUploaded' }>[] => {
  const before = state.requests.get(data.requestId);
  if (before) {
    if (before.requestHash === data.requestHash) return [];
    throw keyReused();
  }
  const found = state.logos.get(data.logoId);
  if (found)
    return repeatable ? [{ type: 'LogoUploaded', data: { ...data, blob: found.blob } }] : [];
  if (state.logos.size >= maxLogos) {
    throw limitError(
      'logosPerAccount',
      `The account already has ${maxLogos} logos. Delete one first.`,
    );
  }
  return [{ type: 'LogoUploaded', data }];
};

type UseLogo = { type: 'UseLogo'; accountId: string; logoId: string; now: string };

/** Once a day is enough: periods since the last use are counted in days. */
export const useLogo = (state: LogoBook, { accountId, logoId, now }: UseLogo): LogoEvent[] => {
  const logo = state.logos.get(logoId);
  return logo && isUseNews(logo, now) ? [{ type: 'LogoUsed', data: { accountId, logoId } }] : [];
};

/** When a logo goes that is not used any more, epoch ms. Its last use may be a day younger than what is known of it. */
export const logoEndsAt = ({ usedAt }: UploadedLogo, retentionDays: number): number =>
  Date.parse(usedAt) + (retentionDays + 1) * dayMs;

const logoOf = ({ logos }: LogoBook, blob: string): UploadedLogo | undefined =>
  [...logos.values()].find((one) => one.blob === blob);

/** Deletes the logo of an image, if there is one. */
export const deleteLogoOf = (
  state: LogoBook,
  { accountId, blob }: { accountId: string; blob: string },
): LogoEvent[] => {
  const logo = logoOf(state, blob);
  return logo ? [{ type: 'LogoDeleted', data: { accountId, logoId: logo.logoId, blob } }] : [];
};

type ExpireLogo = {
  type: 'ExpireLogo';
  accountId: string;
  blob: string;
  now: string;
  retentionDays: number;
};

/** Deletes a logo that was not used for the given time. */
export const expireLogo = (
  state: LogoBook,
  { accountId, blob, now, retentionDays }: ExpireLogo,
): LogoEvent[] => {
  const logo = logoOf(state, blob);
  if (!logo || Date.parse(now) < logoEndsAt(logo, retentionDays)) return [];
  return deleteLogoOf(state, { accountId, blob });
};

type DeleteLogo = { type: 'DeleteLogo'; accountId: string; logoId: string };

/** @throws AppError logo_not_found */
export const deleteLogo = (state: LogoBook, { accountId, logoId }: DeleteLogo): LogoEvent[] => {
  const logo = state.logos.get(logoId);
  if (!logo) {
    throw new AppError(
      'logo_not_found',
      'The account has no logo with this id. GET /api/logos lists its logos.',
    );
  }
  return [{ type: 'LogoDeleted', data: { accountId, logoId, blob: logo.blob } }];
};

/** A book of fewer requests is read again each time: that takes no longer than to read what is new. */
const fewRequests = 100;

export const logoBookAggregate: Aggregate<LogoBook, LogoEvent> = {
  stream: logosStream,
  initialState,
  evolve,
  derivesIds: true,
  // Estimates: a logo, and the answer to a request.
  cachedBytes: ({ logos, requests }) =>
    requests.size < fewRequests ? undefined : 800 * logos.size + 1_000 * requests.size,
};
