/** Letters that wait for the operator after a restore: seen at /health, and over when none is left. */
import { toTimestamp } from '../../ground/clock.ts';
import { currentGeneration, settleGeneration } from '../../infra/postgres/log-generations.ts';
import { lettersInProduction } from '../../projections/letters/query.ts';
import {
  type DoubtPorts,
  lettersInDoubt,
  takeHandedOver,
} from '../../reactors/letters-in-doubt.ts';
import type { Foundation, Site, WingHealth } from '../foundation/wing.ts';

type Ports = Pick<Foundation, 'storage' | 'log'> & Pick<Site, 'isUpToDate'>;

export const createDoubtWatch = ({ storage, log, isUpToDate }: Ports, ports: DoubtPorts) => {
  const db = storage.readDb;
  let asked = { generation: 0n, letterIds: new Set<string>() };
  let waits = false;

  return {
    health: (): WingHealth =>
      waits
        ? {
            status: 'degraded',
            detail:
              'the data was restored, and the print house may have letters that are held back: npm run operator -- restored',
          }
        : { status: 'ok' },
    async look(): Promise<void> {
      const generation = await currentGeneration(db);
      if (!generation || generation.settled) {
        waits = false;
        return;
      }
      const isComplete = await isUpToDate(['letters']);
      const candidates = await lettersInProduction(db, toTimestamp(generation.began_at.getTime()));
      waits = !(await lettersInDoubt(ports, candidates).next()).done;
      const { number } = generation;
      if (asked.generation !== number) asked = { generation: number, letterIds: new Set() };
      await takeHandedOver(ports, candidates, asked.letterIds);
      if (waits || !isComplete) return;
      await settleGeneration(db, generation.number);
      log.warn({}, 'no letter is in doubt after the restore any longer');
    },
  };
};
