/** Logos: uploaded, listed, deleted, and read for letters. */
import { createLogos, type Logos } from '../../commands/logos/logos.ts';
import { createEraseLogos } from '../../reactors/erase-logos.ts';
import { createSweepLogos } from '../../reactors/sweep-logos.ts';
import { logoOperations } from '../../write-api/logos.ts';
import type { Foundation, Site, Wing } from '../foundation/wing.ts';
import { documentToolsOf } from './documents.ts';

export const logosOf = (site: Foundation & Pick<Site, 'closing'>): Logos => {
  const { commands, keys, storage, clock, config } = site;
  return createLogos({
    ...{ handler: commands.handler, dataKeys: keys.dataKeys, indexOf: keys.indexOf },
    ...{ clock, retentionDays: config.retentionDays },
    ...{ blobs: storage.blobs, claim: storage.storedBytes.claim },
    documents: documentToolsOf(site).documents,
  });
};

export const logos: Wing = {
  name: 'logos',
  open(site) {
    const kept = logosOf(site);
    return {
      write: () => logoOperations(kept),
      react({ stopping }) {
        const { blobs, storedBytes } = site.storage;
        const sweep = createSweepLogos({
          ...{ blobs, clock: site.clock, logos: kept, ownerOf: storedBytes.ownerOf },
        });
        return {
          reactors: [createEraseLogos(kept)],
          chores: [
            {
              what: 'deleting images that no logo names, and logos after RETENTION_DAYS',
              everyMs: 86_400_000,
              work: () => sweep(stopping),
            },
          ],
        };
      },
    };
  },
};
