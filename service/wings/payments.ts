/** Payments: requests that are paid one by one (x402), and money that is paid in. */

import { createAnnouncedAmounts } from '../../commands/payments/announced-amounts.ts';
import { createTransferMethod } from '../../commands/payments/by-transfer.ts';
import {
  createCardMethod,
  createFollowCheckout,
  createHasReversals,
} from '../../commands/payments/card.ts';
import { createIntake } from '../../commands/payments/intake.ts';
import { createLightningMethod, createSettleLightning } from '../../commands/payments/lightning.ts';
import { createPayerAccounts, payerDid } from '../../commands/payments/payer-account.ts';
import { createOrderHold } from '../../commands/payments/place-order.ts';
import { createTakeReceived, type Received } from '../../commands/payments/received.ts';
import { createTopUps, type TopUps } from '../../commands/payments/top-ups.ts';
import { assertFresh } from '../../commands/preparation/price-letter.ts';
import type { ChargeCurrency } from '../../contract/charge-currency.ts';
import { isAppError } from '../../contract/errors.ts';
import type { AnyOperation } from '../../contract/operation.ts';
import { StartRefused } from '../../contract/start-refused.ts';
import { receiptIdOf } from '../../events/payment.ts';
import { toTimestamp } from '../../ground/clock.ts';
import { dayOf } from '../../ground/day.ts';
import type { Db } from '../../ground/db.ts';
import { endsWithin } from '../../ground/deadline.ts';
import { keptFor } from '../../ground/kept-for.ts';
import { networkOf } from '../../infra/payments/x402/networks.ts';
import type { X402Rail } from '../../infra/payments/x402/rail.ts';
import { createBlockCursor, formerAddresses } from '../../infra/postgres/block-cursors.ts';
import { isSeenLoss } from '../../infra/postgres/seen-losses.ts';
import { createUsedNonces } from '../../infra/postgres/used-nonces.ts';
import { createGasHolds } from '../../infra/quotas/gas-holds.ts';
import { consolePath } from '../../pages/console/paths.ts';
import { x402Quickstart } from '../../pages/x402/quickstart.ts';
import { exchangeRate } from '../../postal/exchange-rates.ts';
import { accountById } from '../../projections/accounts/query.ts';
import { orders as orderRows } from '../../projections/orders/project.ts';
import { payments as paymentRows } from '../../projections/payments/project.ts';
import {
  openPayments,
  otherNetworksThatWait,
  settledPayments,
} from '../../projections/payments/query.ts';
import { topUps as topUpRows } from '../../projections/top-ups/project.ts';
import {
  overdueTopUps,
  type TopUpDue,
  topUpsByExternalId,
  topUpsOf,
  topUpsOfAmount,
  waitedForTopUps,
} from '../../projections/top-ups/query.ts';
import { createConfirmPayments } from '../../reactors/payments/confirm-payments.ts';
import { createFinishPayments } from '../../reactors/payments/finish-payments.ts';
import { createFollowLightning } from '../../reactors/payments/follow-lightning.ts';
import { createSweepReversals } from '../../reactors/payments/sweep-reversals.ts';
import { createSweepTopUps } from '../../reactors/payments/sweep-top-ups.ts';
import { createWatchNetwork } from '../../reactors/payments/watch-network.ts';
import {
  createBeginWatching,
  createWatchTransfers,
} from '../../reactors/payments/watch-transfers.ts';
import { workOnDue } from '../../reactors/work-on-due.ts';
import { topUpReadOperations } from '../../read-api/top-up.ts';
import { x402Operation } from '../../read-api/x402.ts';
import {
  type CardWebhookPorts,
  cardWebhookOperations,
} from '../../write-api/payments/card-webhook.ts';
import { topUpOperation } from '../../write-api/payments/top-up.ts';
import type { Chore } from '../foundation/chores.ts';
import type { Reacting, Reactions, Site, Wing } from '../foundation/wing.ts';
import { openOrders } from './orders.ts';

/** How long the start waits for the node to say which network it is of. */
const startWaitMs = 3_000;

/** @throws StartRefused for a node of another network; one that is away is waited for while the service runs */
const assertRightNetwork = async (rail: Pick<X402Rail, 'status'>): Promise<void> => {
  const look = rail.status().catch((error: unknown) => {
    if (error instanceof Error && error.name === 'WrongNetwork') {
      throw new StartRefused(`${error.message}; set the one to fit the other.`);
    }
  });
  await endsWithin(startWaitMs, look);
};

/** The opened parts of x402: the intake, its gateway, and plain transfers that nobody signed. */
const openX402 = async (site: Site) => {
  const { config, commands, keys, clock, log, storage, baseUrl, closing } = site;
  const { x402 } = config;
  if (!x402) return undefined;
  // Loaded where it is used: without payments the service does without a chain's client.
  const { createRail } = await import('../../infra/payments/x402/rail.ts');
  const { createPaymentGateway } = await import('../../infra/payments/x402/gateway.ts');
  const { createSignIn } = await import('../../infra/payments/x402/sign-in.ts');
  const { network, payTo, readPriceMicro } = x402;
  const payers = createPayerAccounts({ ...commands, indexOf: keys.indexOf });
  const rail = createRail({
    ...x402,
    warn: (line) => log.warn({}, line),
    failed: (payment, transaction) => {
      intake
        .failed(payment, transaction)
        .catch((error) => log.warn({ err: error }, 'a failed settlement is not on record'));
    },
  });
  closing.defer(rail.close);
  await assertRightNetwork(rail);
  const holds = createGasHolds(storage.readDb);
  const intake = createIntake({ ...commands, rail, payers, holds, clock });
  const ofOldAmount = (amount: number) =>
    topUpsOfAmount(storage.readDb, amount, toTimestamp(clock()));
  const amounts = createAnnouncedAmounts({
    handler: commands.handler,
    rail,
    clock,
    key: keys.derive('transfer-amounts'),
  });
  const ofAmount = async ({ transfer, payTo: to }: Received, payerId: string) => {
    const { network: chain, asset, amountMicro: amount } = transfer;
    const announced = await amounts.find(amount, payerId, { network: chain, asset, payTo: to });
    if (announced || to !== rail.payTo || asset !== rail.asset) return announced;
    const waiting = await ofOldAmount(amount);
    return waiting.length === 1 ? waiting[0] : undefined;
  };
  const byTransfer = createTransferMethod({
    rail,
    clock,
    amounts,
    idOf: payers.idOf,
    isWaitedFor: async (amount) => (await ofOldAmount(amount)).length > 0,
    beginWatching: createBeginWatching({
      head: rail.head,
      cursor: createBlockCursor(storage.readDb, rail),
      confirmations: x402.confirmations,
    }),
  });
  const nonces = createUsedNonces(storage.readDb);
  const signIn = createSignIn({
    network,
    baseUrl,
    clock,
    key: keys.derive('sign-in-with-x'),
    use: nonces.use,
    verifyMessage: rail.verifyMessage,
  });
  const accountOf = (address: string) => payers.accountOf(payerDid(network.network, address));
  const gateway = createPaymentGateway({
    intake,
    network,
    payTo,
    readPriceMicro,
    signIn,
    accountOf,
    isBlocked: async (accountId) =>
      (await accountById(storage.readDb, accountId))?.blocked === true,
  });
  return { rail, intake, payers, byTransfer, ofAmount, gateway, signIn, nonces, terms: x402 };
};

type X402 = NonNullable<Awaited<ReturnType<typeof openX402>>>;

/** Test networks do not count: their money is worth nothing. The node is looked at also while the database is away. */
const formerNetworksThatWait = async (db: Db, network: string): Promise<string[]> => {
  const others = await otherNetworksThatWait(db, network).catch(() => []);
  return others.flatMap((other) => {
    const found = networkOf(other);
    return found?.testnet ? [] : [found?.nameV1 ?? other];
  });
};

/**
 * The most blocks of a former address that are read before today's address is read again. An earlier version stopped
 * reading a former address when the settings changed, which may be years of blocks ago.
 */
const formerBlocksAtOnce = 20_000;

/** Takes transfers that nobody presented, to the address of today's settings and to those of former ones. */
const watchTransfers = (site: Site, x402: X402, topUps: TopUps): Chore => {
  const { config, storage, commands } = site;
  const { rail, intake, payers } = x402;
  const take = createTakeReceived({
    handler: commands.handler,
    intake,
    payers,
    topUps,
    byAmount: x402.ofAmount,
    current: rail,
  });
  const watch = (
    address: Parameters<typeof createBlockCursor>[1],
    limit: { blocksAtMost?: number } = {},
  ) =>
    createWatchTransfers({
      ...limit,
      head: rail.head,
      transfers: (fromBlock, toBlock) => rail.transfers(fromBlock, toBlock, address),
      async take(received) {
        // An operator has dealt with it, and it may be read again after a restore.
        if (await isSeenLoss(storage.readDb, receiptIdOf(received.transfer))) return;
        await take(received);
      },
      cursor: createBlockCursor(storage.readDb, address),
      confirmations: config.x402?.confirmations ?? 0,
    })();
  return {
    what: 'watching transfers of USDC',
    everyMs: 10_000,
    async work() {
      await watch(rail);
      for (const former of await formerAddresses(storage.readDb, rail))
        await watch(former, { blocksAtMost: formerBlocksAtOnce });
    },
  };
};

/** Lightning: the method, and what settles it. */
const openLightning = async ({ config, keys, clock, closing }: Site) => {
  const { lnd } = config;
  if (!lnd) return undefined;
  const { createLnd } = await import('../../infra/payments/lightning/lnd.ts');
  const { fixedRate, sourcedRate } = await import('../../infra/payments/lightning/rates.ts');
  const node = closing.use(createLnd(lnd));
  const { rate: fixed, rateSources: sources, rateMaxAgeMs: maxAgeMs } = lnd;
  const rate =
    fixed === undefined ? sourcedRate({ sources, clock, maxAgeMs }) : fixedRate(fixed, clock);
  const method = createLightningMethod({ node, rate, clock, key: keys.derive('lightning') });
  return { node, method };
};

type Lightning = NonNullable<Awaited<ReturnType<typeof openLightning>>>;

/** Follows the Lightning node, in the process that has the role `reactors`. */
const followLightning = (
  { storage, log, isUpToDate }: Site,
  { node }: Lightning,
  topUps: TopUps,
  { stopping, closing }: Reacting,
): Chore => {
  const settle = createSettleLightning({ node, topUps });
  const follow = createFollowLightning({
    settledNow: node.settledNow,
    log,
    settle,
    async byHash(hash) {
      const look = () => topUpsByExternalId(storage.readDb, 'lightning', hash);
      const found = await look();
      if (found.length > 0) return found;
      // It may be paid before it has a row.
      await isUpToDate([topUpRows.name]);
      return look();
    },
  });
  const ended = follow(stopping);
  closing.defer(() => ended);
  const waitedFor = (after: string | undefined, limit: number) =>
    waitedForTopUps(storage.readDb, 'lightning', after, limit);
  const work = createSweepTopUps({ waitedFor, settle });
  return { what: 'asking for Lightning payments', everyMs: 15_000, work };
};

/** Cards: the method, and what follows a checkout. */
const openCard = async ({ config, clock, prices, baseUrl }: Site) => {
  if (!config.stripe) return undefined;
  const { createStripe } = await import('../../infra/payments/card/stripe.ts');
  const provider = createStripe(config.stripe);
  const rateFor = (currency: ChargeCurrency) => {
    const on = dayOf(clock());
    const rate = exchangeRate(currency, on, prices().exchangeRates);
    assertFresh(currency, rate.at, on, config.limits);
    return rate;
  };
  const { gateway } = provider;
  const pageOf = (topUpId: string): string =>
    config.roles.includes('console')
      ? `${baseUrl}${consolePath}/wallet/top-ups/${topUpId}`
      : `${baseUrl}/`;
  return { provider, method: createCardMethod({ gateway, rateFor, pageOf, clock }) };
};

type Card = NonNullable<Awaited<ReturnType<typeof openCard>>>;

type FollowCheckout = ReturnType<typeof createFollowCheckout>;

/**
 * The webhook of the card provider. It only names a checkout, whose state is then requested from the
 * provider.
 */
const cardWebhook = ({ provider }: Card, follow: FollowCheckout): CardWebhookPorts => ({
  checkSignature: provider.checkSignature,
  async follow(event) {
    const news = await provider.newsIn(event);
    if (news) await follow(news.reference, news.withReversals).catch(ofNobody);
  },
});

/** An event about what another system sold with the same account of the provider. */
const ofNobody = (error: unknown): void => {
  if (!isAppError(error) || error.code !== 'topup_not_found') throw error;
};

/** Asks about checkouts that nothing was heard of: a webhook that never came. Ends those of withdrawn orders. */
const sweepCards = ({ storage }: Site, follow: FollowCheckout): Chore => {
  const work = createSweepTopUps({
    waitedFor: (after, limit) => waitedForTopUps(storage.readDb, 'card', after, limit),
    settle: (topUpId) => follow(topUpId, false),
  });
  return { what: 'asking for card payments', everyMs: 60_000, work };
};

/** Lists refunds and disputes that nothing was heard of. */
const sweepReversals = (
  { clock, commands }: Site,
  { provider }: Card,
  topUps: TopUps,
  follow: FollowCheckout,
): Chore => {
  const hasReversals = createHasReversals({ topUps, handler: commands.handler });
  const work = createSweepReversals({
    clock,
    reversedSince: provider.reversedSince,
    isBooked: (topUpId, reversals) =>
      hasReversals(topUpId, reversals).catch((error: unknown) => {
        ofNobody(error);
        return true;
      }),
    follow: (topUpId) => follow(topUpId, true),
  });
  return { what: 'asking for refunds and disputes of cards', everyMs: 600_000, work };
};

/** The webhook of the card provider, and the chores that ask it. */
const openCheckouts = (
  site: Site,
  card: Card,
  topUps: TopUps,
  orders: Parameters<typeof createFollowCheckout>[0]['orders'],
) => {
  const { gateway } = card.provider;
  const { handler } = site.commands;
  const follow = createFollowCheckout({ gateway, topUps, handler, orders });
  return {
    webhook: cardWebhook(card, follow),
    chores: (): Chore[] => [sweepCards(site, follow), sweepReversals(site, card, topUps, follow)],
  };
};

/** A transfer that does not come in time is no longer expected; one that comes anyway is credited. */
const expireTransfers = ({ storage, clock }: Site, topUps: TopUps): Chore => ({
  what: 'expiring top-ups that nobody transferred',
  everyMs: 10_000,
  async work() {
    const now = toTimestamp(clock());
    const { failures } = await workOnDue<TopUpDue>(
      (...page) => overdueTopUps(storage.readDb, 'usdc', now, ...page),
      async ({ topUpId }) => {
        await topUps.expire(topUpId);
        return true;
      },
    );
    if (failures.length > 0) throw failures[0];
  },
});

const topUpReading = ({ config: { limits }, storage }: Site, topUps: TopUps): AnyOperation[] =>
  topUpReadOperations({
    topUps,
    list: (accountId, page) => topUpsOf(storage.readDb, accountId, page),
    limits,
  });

export const payments: Wing = {
  name: 'payments',
  metrics: [
    { name: 'x402_node_up', help: '1 if the node of X402_RPC_URL answers and is of X402_NETWORK' },
    {
      name: 'x402_facilitator_up',
      help: '1 if the facilitator of X402_FACILITATOR_URL answers and settles payments on X402_NETWORK',
    },
    { name: 'x402_signer_eth', help: 'ETH that the address of X402_SIGNER_KEY has for gas' },
    {
      name: 'x402_settlements_left',
      help: 'Ordinary payments that this ETH is enough for at the fee of now',
    },
  ],
  projections: [orderRows, paymentRows, topUpRows],
  async open(site) {
    const { config, baseUrl, clock, storage, commands } = site;
    const x402 = await openX402(site);
    const lightning = await openLightning(site);
    const card = await openCard(site);
    const methods = [x402?.byTransfer, lightning?.method, card?.method].filter(
      (one) => one !== undefined,
    );
    const terms = config.x402 && {
      ...config.x402,
      quickstart: x402Quickstart(baseUrl, config.x402.network),
      challenge: ({ method, path }: { method: string; path: string }) =>
        x402?.signIn.challenge({
          url: `${baseUrl}${path}`,
          method,
          reads: method === 'GET',
        }),
    };
    const holdFor = createOrderHold(commands);
    const topUps = createTopUps({ ...commands, clock, methods, holdFor });
    const orders = openOrders(site, topUps);
    const checkouts = card && openCheckouts(site, card, topUps, orders);
    return {
      write: () => [
        topUpOperation({ topUps, requirements: x402?.gateway.requirements }),
        ...orders.write(),
        ...cardWebhookOperations(checkouts?.webhook),
      ],
      read: () => [x402Operation(baseUrl, terms), ...topUpReading(site, topUps), ...orders.read()],
      ...(x402 ? { payments: x402.gateway } : {}),
      react(reacting): Reactions {
        const asking = [
          ...(lightning ? [followLightning(site, lightning, topUps, reacting)] : []),
          ...(checkouts?.chores() ?? []),
          ...(x402 ? [watchTransfers(site, x402, topUps), expireTransfers(site, topUps)] : []),
        ];
        if (!x402) return { reactors: [orders.reactor], chores: asking };
        const finish = createFinishPayments({
          intake: x402.intake,
          resume: x402.rail.resume,
          clock,
          openPayments: (until, after, limit) => openPayments(storage.readDb, until, after, limit),
        });
        const network = createWatchNetwork({
          status: x402.rail.status,
          facilitator: x402.rail.facilitator && keptFor(60_000, x402.rail.facilitator),
          formerNetworks: keptFor(60_000, () =>
            formerNetworksThatWait(storage.readDb, x402.rail.network),
          ),
          log: site.log,
          clock: site.clock,
          readPriceMicro: x402.terms.readPriceMicro,
          ethUsd: x402.terms.ethUsd,
        });
        return {
          reactors: [finish, orders.reactor],
          health: network.health,
          chores: [
            ...asking,
            { what: 'looking at the payment network', everyMs: 5_000, work: network.look },
            { what: 'finishing payments', everyMs: 10_000, work: () => finish.sweep() },
            {
              what: 'confirming payments',
              everyMs: 15_000,
              work: createConfirmPayments({
                intake: x402.intake,
                clock,
                confirmations: config.x402?.confirmations ?? 0,
                settledPayments: (from, until) => settledPayments(storage.readDb, from, until),
              }),
            },
            {
              what: 'forgetting used sign-ins',
              everyMs: 600_000,
              work: () => x402.nonces.sweep(clock()),
            },
          ],
        };
      },
    };
  },
};
