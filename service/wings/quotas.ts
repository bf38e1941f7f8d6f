/** What accounts may send and keep, counted once for all wings of a process. */
import { createQuotaCheck, type QuotaCheck } from '../../infra/quotas/quota-check.ts';
import { startChore } from '../foundation/chores.ts';
import type { Foundation, Site } from '../foundation/wing.ts';

const tidyEveryMs = 5_000;

const checks = new WeakMap<Foundation['storage'], QuotaCheck>();

export const quotaCheckOf = ({ storage, config, log, closing }: Site): QuotaCheck => {
  const known = checks.get(storage);
  if (known) return known;
  const check = createQuotaCheck({ db: storage.readDb, limits: config.limits });
  checks.set(storage, check);
  closing.defer(() =>
    check.close().catch((err) => log.warn({ err: String(err) }, 'letters were not given back')),
  );
  const what = 'giving back letters of quotas that were not used';
  closing.defer(startChore({ what, everyMs: tidyEveryMs, work: check.tidy }, log));
  return check;
};
