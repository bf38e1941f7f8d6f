/** A hotfolder print house: takes the files in the outbox, and counts them. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const lookEveryMs = 100;
const atOnce = 16;

type TakenLetter = { letterId: string; atMs: number };

/** Takes jobs until `stop`: a ticket that is there is a letter that is printed. */
export const startPrintHouse = (dataDir: string) => {
  const outbox = join(dataDir, 'outbox');
  const taken: TakenLetter[] = [];
  let stopped = false;

  const take = async (name: string): Promise<void> => {
    const letterId = name.slice(0, -'.json'.length);
    await rm(join(outbox, name));
    taken.push({ letterId, atMs: performance.now() });
    await rm(join(outbox, `${letterId}.pdf`));
  };

  const look = async (): Promise<void> => {
    const names = await readdir(outbox).catch((): string[] => []);
    const tickets = names.filter((name) => name.endsWith('.json'));
    while (tickets.length > 0) await Promise.all(tickets.splice(0, atOnce).map(take));
  };

  const working = (async () => {
    while (!stopped) {
      await look();
      await delay(lookEveryMs);
    }
    await look();
  })();

  return {
    taken: (): readonly TakenLetter[] => taken,
    async stop(): Promise<void> {
      stopped = true;
      await working;
    },
  };
};
