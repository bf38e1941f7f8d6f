/** Logos: uploaded, listed, deleted, and read for letters. */
import { dayMs } from '../../ground/day.ts';
import { logoRows } from '../../projections/logos/project.ts';
import { createEraseLogos } from '../../reactors/erase-logos.ts';
import { createSweepLogos } from '../../reactors/sweep-logos.ts';
import { logoOperations } from '../../write-api/logos.ts';
import type { Wing } from '../foundation/wing.ts';

export const logos: Wing = {
  name: 'logos',
  projections: [logoRows],
  open(site) {
    const { logos: kept } = site.shared;
    return {
      write: () => logoOperations(kept),
      react({ stopping, clocks }) {
        const { blobs, storedBytes } = site.storage;
        const sweep = createSweepLogos({
          blobs,
          clock: clocks.erasureClock,
          logos: kept,
          ownerOf: storedBytes.ownerOf,
        });
        return {
          reactors: [createEraseLogos({ erase: kept.erase })],
          chores: [
            {
              what: 'deleting images that no logo names, and logos after RETENTION_DAYS',
              everyMs: dayMs,
              work: () => sweep(stopping),
            },
          ],
        };
      },
    };
  },
};
