/** The interruptions of a soak, in turn. */
import { setTimeout as delay } from 'node:timers/promises';
import type { SoakRecord } from './record.ts';
import type { World } from './world.ts';

type Mishap = { what: string; at: number; happen: () => Promise<void> };

const moods = ['fail', 'obey-and-drop', 'hang', 'obey-and-hang', 'babble', 'work'] as const;

/** `at`: after which part of the time. */
export const mishapsOf = (world: World, record: SoakRecord): Mishap[] => {
  const { house, kafka, stripe } = world;
  const again = (end: () => Promise<unknown>) => (): Promise<void> =>
    record.whileAway(async () => {
      await end();
      await world.startAgain();
    });
  return [
    {
      what: 'it is stopped and started',
      at: 0.2,
      happen: again(() => world.service().terminate()),
    },
    {
      what: 'Kafka is away for 30 s',
      at: 0.3,
      async happen() {
        await kafka?.kill();
        await delay(30_000);
        await kafka?.start();
      },
    },
    {
      what: 'the card provider is away for 15 s',
      at: 0.42,
      happen: () =>
        record.whileAnswered('payment_unavailable', async () => {
          stripe.setDown(true);
          await delay(15_000);
          stripe.setDown(false);
          // For answers that are under way.
          await delay(1_000);
        }),
    },
    {
      what: 'the print house fails, drops, hangs and babbles',
      at: 0.5,
      async happen() {
        for (const mood of moods) {
          house.mood = mood;
          await delay(12_000);
        }
      },
    },
    { what: 'its main process is killed', at: 0.75, happen: again(() => world.service().kill()) },
    { what: 'all of it is killed', at: 0.9, happen: again(() => world.service().killGroup()) },
  ];
};
