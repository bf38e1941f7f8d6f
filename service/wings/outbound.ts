import { createSafeFetch, type SafeFetch } from '../../infra/fetch/safe-fetch.ts';
import type { Site } from '../foundation/wing.ts';

/** Calls addresses that callers named: never private ones, unless told otherwise. */
export const openOutbound = ({ config, closing }: Pick<Site, 'config' | 'closing'>): SafeFetch =>
  closing.adopt(createSafeFetch({ allowPrivate: config.allowPrivateFetch }), (one) => one.close());
