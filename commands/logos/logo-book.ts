/** The logos of an account: uploaded once, named by the letters that have them, deleted. */
import { AppError } from '../../contract/errors.ts';
import { type PersistentMap, persistentMap } from '../../contract/persistent-map.ts';
import { type LogoEvent, logosStream } from '../../events/logo.ts';
import type { Aggregate } from '../handling/aggregate.ts';

type Uploaded = Extract<LogoEvent, { type: 'LogoUploaded' }>['data'];

export type UploadedLogo = Omit<Uploaded, 'accountId' | 'requestId' | 'requestHash'> & {
  createdAt: string;
};

export type LogoBook = {
  logos: PersistentMap<string, UploadedLogo>;
  /** What requests were answered with, by the id of their command. */
  requests: PersistentMap<string, { requestHash: string; logo: UploadedLogo }>;
};

/** CHOICE: of one account, at the same time. */
export const maxLogos = 100;

export const initialState = (): LogoBook => ({
  logos: persistentMap(),
  requests: persistentMap(),
});

export const evolve = (state: LogoBook, event: LogoEvent, at: string): LogoBook => {
  switch (event.type) {
    case 'LogoUploaded': {
      const { accountId: _, requestId, requestHash, ...data } = event.data;
      const logo = state.logos.get(data.logoId) ?? { ...data, createdAt: at };
      return {
        logos: state.logos.with(logo.logoId, logo),
        requests: state.requests.with(requestId, { requestHash, logo }),
      };
    }
    case 'LogoDeleted':
      return { ...state, logos: state.logos.without(event.data.logoId) };
    default: {
      const unknown: never = event;
      return unknown;
    }
  }
};

export type UploadLogo = {
  type: 'UploadLogo';
  data: Uploaded;
  /** The request may come again. */
  repeatable: boolean;
};

/** The same image again is the one there is. @throws AppError idempotency_key_reused, logo_limit_reached */
export const uploadLogo = (state: LogoBook, { data, repeatable }: UploadLogo): LogoEvent[] => {
  const before = state.requests.get(data.requestId);
  if (before) {
    if (before.requestHash === data.requestHash) return [];
    throw new AppError(
      'idempotency_key_reused',
      'This Idempotency-Key was used for another request; use a new key for a new request.',
    );
  }
  const found = state.logos.get(data.logoId);
  if (found)
    return repeatable ? [{ type: 'LogoUploaded', data: { ...data, blob: found.blob } }] : [];
  if (state.logos.size >= maxLogos) {
    throw new AppError(
      'logo_limit_reached',
      `The account has ${maxLogos} logos already; delete one first.`,
    );
  }
  return [{ type: 'LogoUploaded', data }];
};

export type DeleteLogo = { type: 'DeleteLogo'; accountId: string; logoId: string };

/** @throws AppError logo_not_found */
export const deleteLogo = (state: LogoBook, { accountId, logoId }: DeleteLogo): LogoEvent[] => {
  const logo = state.logos.get(logoId);
  if (!logo) {
    throw new AppError(
      'logo_not_found',
      'The account has no logo with this id; GET /api/logos lists those it has.',
    );
  }
  return [{ type: 'LogoDeleted', data: { accountId, logoId, blob: logo.blob } }];
};

export const logoBookAggregate: Aggregate<LogoBook, LogoEvent> = {
  stream: logosStream,
  initialState,
  evolve,
};
