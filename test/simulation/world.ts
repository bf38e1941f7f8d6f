/**
 * Everything that outlives the processes of a run: the log, the tables, the disk, the print house, the
 * receivers.
 */
import { decodeEvent } from '../../events/envelope.ts';
import { letterIdIn } from '../../events/letter.ts';
import type { Position } from '../../events/position.ts';
import { createMemoryBlobs } from '../support/memory-blobs.ts';
import { createMemoryDataKeys } from '../support/memory-data-keys.ts';
import { createMemoryEventStore } from '../support/memory-event-store.ts';
import { createMemoryMarks } from '../support/memory-marks.ts';
import { seeded } from '../support/seeded.ts';
import type { Broken } from './broken.ts';
import { createDatabase } from './database.ts';
import { createMemoryDisk, emptyFolder } from './hotfolder.ts';
import { createHouse } from './house.ts';
import type { Weather } from './network.ts';
import { createAppendNotice } from './remote-store.ts';
import { createSchedule } from './schedule.ts';
import type { Receiver } from './tell-webhooks.ts';
import type { WebhookRow } from './webhook-tables.ts';

export const createWorld = (seed: number, broken: Broken = {}) => {
  const random = seeded(seed);
  const schedule = createSchedule(random);
  const oneCommit = random() < 0.5;
  const overHttp = broken.unknown || broken.recalls ? true : random() < 0.6;
  const rough = random() < 0.8 ? 1 : 0;
  const weather: Weather = {
    refused: rough * random() * 0.04,
    lost: rough * random() * 0.03,
    twice: rough * random() * 0.08,
    slow: rough * random() * 0.06,
  };
  const dataKeys = createMemoryDataKeys();
  const store = createMemoryEventStore(oneCommit ? { keys: dataKeys.table } : {});
  const house = createHouse(schedule, broken);
  const folders = { disk: createMemoryDisk(), marks: createMemoryMarks() };

  /** The delivered messages: ids of endpoint, lane and event, in the order of their first arrival. */
  const received = new Map<string, WebhookRow>();
  const receiver: Receiver = {
    receive(message) {
      if (random() < weather.refused) return false;
      const key = `${message.endpointId} ${message.eventId}`;
      if (!received.has(key)) received.set(key, message);
      return true;
    },
  };

  const queued = new Map<string, number>();
  let read: Position = 0n;
  /** The read model of letters that wait: it lags behind the log as it likes. */
  const readLetters = async (): Promise<void> => {
    for (const recorded of await store.readAll({ after: read, limit: 50 })) {
      const event = decodeEvent(recorded);
      read = event.position;
      if (event.type === 'LetterQueued') {
        queued.set(letterIdIn(event.stream), Date.parse(event.data.releaseAt));
      } else if (event.type === 'LetterProcessingStarted' || event.type === 'LetterCancelled') {
        queued.delete(letterIdIn(event.stream));
      }
    }
  };

  const world = {
    seed,
    random,
    schedule,
    weather,
    broken,
    overHttp,
    dataKeys,
    store,
    blobs: createMemoryBlobs(),
    notice: createAppendNotice(schedule),
    database: createDatabase(schedule, broken),
    house,
    folders,
    received,
    receiver,
    dueLetters: (now: number): string[] => {
      if (random() < 0.8) void readLetters();
      return [...queued].filter(([, at]) => at <= now).map(([letterId]) => letterId);
    },
    /** The house looks into its folders now and then. */
    async lookIntoFolders(): Promise<void> {
      for (const name of ['house', 'simulator']) await emptyFolder({ ...folders, house }, name);
    },
  };
  return world;
};

export type World = ReturnType<typeof createWorld>;
