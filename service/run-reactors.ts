import { createCommandHandler } from '../commands/handling/handle.ts';
import { createLettersAtHand } from '../commands/letters/letters-at-hand.ts';
import { toTimestamp } from '../contract/clock.ts';
import type { Log } from '../contract/log.ts';
import { type JobTask, startJobs } from '../infra/jobs/jobs.ts';
import { createCheckpoints } from '../infra/postgres/checkpoints.ts';
import { createInbox } from '../infra/print/inbox.ts';
import { dueLetters } from '../projections/letters/query.ts';
import { createEraseLetters } from '../reactors/erase-letters.ts';
import { createOpenWallets } from '../reactors/open-wallets.ts';
import { createProduceLetters } from '../reactors/produce-letters.ts';
import { startReactor } from '../reactors/reactor.ts';
import { releaseDueLetters } from '../reactors/release-due-letters.ts';
import { createSettleWallets } from '../reactors/settle-wallets.ts';
import { hearAnswering } from './answering-load.ts';
import { createErasureChores } from './erasure-chores.ts';
import type { Foundation } from './foundation.ts';
import { startCredentials } from './issuing.ts';
import { createMails } from './mails.ts';
import { createPrintPartners, handOverOf, printFolders } from './print-partners.ts';
import { createWebhooks } from './webhooks.ts';

/** Background jobs that run at the same time; most of them wait for somebody else's server. */
const concurrentJobs = 64;

type Stop = () => Promise<void>;

/** Starts everything that follows from events. */
export const startReactors = async (foundation: Foundation, baseUrl: string) => {
  const { config, handler, dataKeys, clock, store, log, readDb, url } = foundation;
  const partners = await createPrintPartners(config, readDb, clock);
  const checkpoints = await createCheckpoints({ db: readDb, url });
  const letters = createLettersAtHand(createCommandHandler({ store, dataKeys, clock }));
  const produce = createProduceLetters({
    letters,
    partners: partners.all,
    render: foundation.documentTools.render,
  });
  const settle = createSettleWallets({
    handler,
    letter: letters.load,
    clock,
    patienceMs: config.limits.reservationPatienceMs,
  });
  const erase = createEraseLetters({
    handler,
    dataKeys,
    files: foundation.documentTools.files,
    partners: partners.all,
  });
  const ports = { store, checkpoints, log };
  const { outbound, serviceKeys } = foundation;
  const webhooks = createWebhooks({
    ...{ url, store, handler, checkpoints, fetch: outbound, clock, log },
    sign: (data) => serviceKeys.signingKey('webhook').sign(data),
    credentials: foundation.credentials,
    deliveryDays: config.limits.deliveryDays,
  });
  const outgoing = createMails(foundation, baseUrl);
  const tasks: Record<string, JobTask> = { ...webhooks.tasks, ...outgoing.tasks };
  const jobs = startJobs({ url, tasks, log, concurrency: concurrentJobs });
  const openWallets = createOpenWallets(foundation);
  const reactors = [openWallets, settle, produce, erase, ...outgoing.reactors].map((reactor) =>
    startReactor(reactor, ports),
  );
  const inbox = createInbox({ folder: printFolders(config).inbox, handler, log });
  const producing = reactors.find((one) => one.status().name === produce.name);
  const stopping = new AbortController();
  const releasing = releaseDueLetters(
    {
      ...{ letters, clock, log, ...partners, handOverAt: handOverOf(config) },
      production: produce.inProduction,
      due: (countries, limit) => dueLetters(readDb, toTimestamp(clock()), countries, limit),
      owns: () => producing?.owned() ?? false,
      waitingPrintJobs: config.limits.waitingPrintJobs,
      answering: hearAnswering(),
    },
    stopping.signal,
  );
  const erasure = createErasureChores(foundation);
  const chores = [
    every(5_000, () => settle.sweep(), log, 'sweeping reservations'),
    every(2_000, () => inbox.poll(), log, 'reading status reports'),
    ...erasure.chores.map(({ everyMs, work, what }) => every(everyMs, work, log, what)),
    every(86_400_000, () => partners.tidy(), log, 'tidying print folders'),
    every(30_000, () => webhooks.tidy(), log, 'tidying deliveries'),
  ];
  webhooks.start();
  const credentials = config.credentials
    ? [startCredentials(foundation, checkpoints, baseUrl)]
    : [];
  return {
    statuses: () => [
      ...[...reactors, ...credentials].map((reactor) => reactor.status()),
      ...webhooks.statuses(),
    ],
    async stop(): Promise<void> {
      erasure.stop();
      stopping.abort();
      await Promise.all([releasing, partners.close(), ...chores.map((stop) => stop())]);
      await Promise.all([
        webhooks.stop(),
        ...[...reactors, ...credentials].map((reactor) => reactor.stop()),
      ]);
      await jobs.stop();
      outgoing.close();
      await webhooks.close();
      await checkpoints.close();
    },
  };
};

/** Does `work` again and again with a pause between, until it is stopped. */
const every = (pauseMs: number, work: () => Promise<unknown>, log: Log, what: string): Stop => {
  let stopped = false;
  let wake = (): void => {};
  const loop = (async () => {
    while (!stopped) {
      try {
        await work();
      } catch (error) {
        log.error(
          { err: error instanceof Error ? error.message : String(error) },
          `${what} failed`,
        );
      }
      if (stopped) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pauseMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  })();
  return async () => {
    stopped = true;
    wake();
    await loop;
  };
};
