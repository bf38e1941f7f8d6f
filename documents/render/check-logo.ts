/** Checks logos: header and size at once, the pixels in a thread, once for each image. */
import { hash } from 'node:crypto';
import type { Documents } from '../../commands/preparation/documents.ts';
import { AppError } from '../../contract/errors.ts';
import { invalidField } from '../../contract/refusals.ts';
import { createBoundedMap } from '../../ground/bounded-map.ts';
import type { CallerRef } from '../../limits/turn.ts';
import { TaskFailure } from '../../limits/worker-pool.ts';
import type { Workers } from '../../limits/workers.ts';
import { readImage } from './letter-tasks.ts';
import { readLogoSize } from './logo-size.ts';

/** How many images are remembered by their digest, readable or not. */
const rememberedImages = 10_000;

type Verdict = { width: number; height: number } | { refusal: AppError };

const tooSlow = (): AppError => {
  const detail = 'logo takes too much time or memory to read. Save it again.';
  return invalidField('/logo', 'logo_unreadable', detail);
};

export const createCheckLogo = ({
  pool,
  turnOf,
}: Pick<Workers, 'pool' | 'turnOf'>): Documents['checkLogo'] => {
  const known = createBoundedMap<string, Verdict>(rememberedImages);

  const read = async (bytes: Buffer, by: CallerRef): Promise<Verdict> => {
    const turn = await turnOf(by);
    try {
      return await pool.run(readImage, { bytes: new Uint8Array(bytes) }, turn);
    } catch (error) {
      if (error instanceof TaskFailure && error.kind !== 'failed') return { refusal: tooSlow() };
      if (error instanceof AppError && error.code === 'validation_failed')
        return { refusal: error };
      throw error;
    }
  };

  return async (bytes, by) => {
    readLogoSize(bytes);
    const digest = hash('sha256', bytes, 'base64url');
    const verdict = known.get(digest) ?? (await read(bytes, by));
    known.set(digest, verdict);
    if ('refusal' in verdict) throw verdict.refusal;
    return verdict;
  };
};
