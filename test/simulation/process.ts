/** One process of the service: the real commands and reactors, over links to all that outlives it. */

import { createAccountService } from '../../commands/accounts/account-service.ts';
import { createKeyMaker } from '../../commands/accounts/api-key.ts';
import { createCommandHandler } from '../../commands/handling/handle.ts';
import { settleWallet } from '../../commands/letters/follow-up.ts';
import { createLettersAtHand } from '../../commands/letters/letters-at-hand.ts';
import { keepLeases, leaseTimes } from '../../events/keep-leases.ts';
import type { Leases } from '../../events/lease.ts';
import type { CredentialIssuer } from '../../identity/event-credential.ts';
import { ed25519FromSeed } from '../../identity/keys.ts';
import { defaultLimits } from '../../limits/table.ts';
import { startIssuing } from '../../reactors/issue-credentials.ts';
import { createOpenWallets } from '../../reactors/open-wallets.ts';
import type { PrintPartner } from '../../reactors/print-partner.ts';
import { createProduceLetters } from '../../reactors/produce-letters.ts';
import { startReactor } from '../../reactors/reactor.ts';
import { releaseDueLetters } from '../../reactors/release-due-letters.ts';
import { createSettleWallets } from '../../reactors/settle-wallets.ts';
import { digest } from '../support/digest.ts';
import { withKey } from '../support/keyring.ts';
import { nothingRestored } from '../support/nothing-restored.ts';
import { playedLetters } from '../support/played-letters.ts';
import { createActor } from './actor.ts';
import { hotfolderOver } from './hotfolder.ts';
import { partnerOver } from './house.ts';
import { createLink, fair, type Link, type LinkState } from './network.ts';
import { remoteKeys, remoteStore } from './remote-store.ts';
import { followForWebhooks, pumpWebhooks } from './tell-webhooks.ts';
import type { World } from './world.ts';

const quiet = (): void => {};
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
const signer = ed25519FromSeed(Buffer.alloc(32, 7));
const issuer: CredentialIssuer = { did: signer.did, kid: `${signer.did}#key`, sign: signer.sign };
const makeKey = createKeyMaker(withKey(Buffer.alloc(32, 9)));

/** How long a letter can be cancelled, and a reservation waits for its letter. */
const cancellationWindowMs = 3_000;
const patienceMs = 4_000;
const sweepEveryMs = 2_000;

const peers = ['log', 'database', 'house', 'receivers'] as const;
type Peer = (typeof peers)[number];

export const createProcess = (world: World) => {
  const { schedule, weather, broken } = world;
  const actor = createActor(schedule);
  const { time, clock } = actor;
  // A database never obeys twice; other receivers of a repeated request have to bear it.
  const once = { ...weather, twice: 0 };
  const links: Record<Peer, Link> = {
    log: createLink({ schedule, weather }, actor, 2_000),
    database: createLink({ schedule, weather: once }, actor, 1_500),
    house: createLink({ schedule, weather }, actor, 5_000),
    receivers: createLink({ schedule, weather }, actor, 4_000),
  };
  const disk = createLink({ schedule, weather: { ...fair, slow: weather.slow } }, actor, 1_000);

  const stopping = new AbortController();
  const forgets = (): boolean => broken.answers === true && schedule.random() < 0.05;
  const store = remoteStore(world.store, { actor, link: links.log, notice: world.notice, forgets });
  const dataKeys = remoteKeys(world.dataKeys, links.database);
  const held = new Map<string, AbortSignal>();
  const database = world.database.over(
    links.database,
    (name) => !actor.isFrozen() && !actor.isDead() && held.get(name)?.aborted === false,
  );
  const kept = keepLeases({ table: database.table, times: leaseTimes, time });
  const leases: Leases = {
    async own(name, signal) {
      const lease = await kept.own(name, signal);
      if (lease) held.set(name, lease.signal);
      return lease;
    },
  };
  const handler = createCommandHandler({ store, dataKeys, clock });
  const { blobs } = world;
  const letters = playedLetters({ handler, dataKeys, clock, blobs, cancellationWindowMs });
  const accounts = createAccountService({
    handler,
    clock,
    makeKey,
    limits: defaultLimits,
    indexOf: digest,
  });

  const told = (inner: PrintPartner): PrintPartner => ({
    ...inner,
    submit(job) {
      database.tells();
      return inner.submit(job);
    },
    recall(jobId, about) {
      database.tells();
      return inner.recall(jobId, about);
    },
  });
  const folder = (name: string) =>
    told(
      hotfolderOver({ ...world.folders, name, links: { disk, database: links.database }, actor }),
    );
  const simulator = folder('simulator');
  const partner = world.overHttp
    ? told(partnerOver(world.house, links.house, actor))
    : folder('house');
  const atHand = createLettersAtHand(createCommandHandler({ store, dataKeys, clock }));
  const produce = createProduceLetters({
    letters: atHand,
    partner,
    partners: [partner, simulator],
    render: async () => Buffer.from('%PDF'),
    restored: nothingRestored,
    clock,
  });
  const settle = createSettleWallets({ handler, letter: atHand.load, clock, patienceMs });

  const ports = { store, checkpoints: database.checkpoints, leases, log, time };
  const producing = startReactor(produce, ports);
  const followers = [
    startReactor(createOpenWallets({ accounts }), ports),
    startReactor(settle, ports),
    producing,
    startIssuing({
      store,
      leases,
      log,
      time,
      writer: database.writer,
      issuerAt: () => issuer,
      refreshIdentity: async () => {},
    }),
    followForWebhooks({ actor, store, leases, database, tables: world.database.webhooks, log }),
  ];
  void releaseDueLetters(
    {
      letters: atHand,
      clock,
      log,
      time,
      partner,
      simulator,
      production: produce.inProduction,
      due: () => database.ask(() => world.dueLetters(clock())),
      owns: () => producing.status().state !== 'standing-by',
      waitingPrintJobs: defaultLimits.waitingPrintJobs,
      answering: () => 0,
    },
    stopping.signal,
  );
  void pumpWebhooks(
    { actor, database, tables: world.database.webhooks },
    { link: links.receivers, receiver: world.receiver },
    stopping.signal,
  );
  void (async () => {
    while (!stopping.signal.aborted) {
      await time.pause(sweepEveryMs, stopping.signal);
      await settle.sweep().catch(() => 0);
    }
  })();

  return {
    actor,
    handler,
    store,
    letters,
    accounts,
    settle: (letterId: string, commandId: string) =>
      settleWallet({ handler }, letterId, { commandId, actor: 'key:1' }),
    links,
    setLinks(state: LinkState): void {
      for (const peer of peers) links[peer].set(state);
    },
    /** In order, as on SIGTERM; work that does not end by then is killed. */
    stop(): void {
      stopping.abort();
      for (const follower of followers) void follower.stop();
      schedule.after(2_000, () => actor.kill());
    },
  };
};

export type Process = ReturnType<typeof createProcess>;
export const allPeers = peers;
