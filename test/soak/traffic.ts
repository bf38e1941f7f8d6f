/** Calls at a steady rate by accounts that are chosen by chance. */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { createDoings } from './doings.ts';
import { mishapsOf } from './mishaps.ts';
import { oneOf, type SoakRecord } from './record.ts';
import type { World } from './world.ts';

const callsAtOnce = 40;

export const say = (line: string): void => {
  process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
};

const memoryOf = (pid: number): string => {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
  return `${Math.round(Number(kilobytes) / 1_024)} MB`;
};

/** Returns how often each thing was done, with how it was answered. */
export const runTraffic = async (
  world: World,
  record: SoakRecord,
  { minutes, perSecond }: { minutes: number; perSecond: number },
): Promise<Map<string, number>> => {
  const doings = createDoings(world, record);
  const counts = new Map<string, number>();
  const count = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);

  const act = async (): Promise<void> => {
    const { name, work } = doings.byChance();
    try {
      const answer = await work(oneOf(record.accounts));
      if (answer) count(`${name}: ${answer.status} ${answer.body?.code ?? ''}`);
    } catch (error) {
      if (!record.isAway()) record.odd.push(`${name}: ${error}`);
      count(`${name}: no answer`);
    }
  };

  await doings.begin();
  const beganMs = Date.now();
  const endMs = beganMs + minutes * 60_000;
  const underWay = new Set<Promise<void>>();
  const actUntilEnd = async (): Promise<void> => {
    for (let saidMs = 0; Date.now() < endMs; ) {
      if (underWay.size < callsAtOnce && !record.isAway()) {
        const acting = act().finally(() => underWay.delete(acting));
        underWay.add(acting);
      }
      if (Date.now() - saidMs >= 60_000 && !record.isAway()) {
        saidMs = Date.now();
        say(`${memoryOf(world.service().pid)}, ${record.acknowledged.size} letters`);
      }
      await delay((1_000 / perSecond) * (0.5 + Math.random()));
    }
    await Promise.all(underWay);
  };
  const meetMishaps = async (): Promise<void> => {
    for (const { what, at, happen } of mishapsOf(world, record)) {
      await delay(Math.max(0, beganMs + at * (endMs - beganMs) - Date.now()));
      say(what);
      await happen();
    }
  };
  await Promise.all([actUntilEnd(), meetMishaps()]);
  return counts;
};
