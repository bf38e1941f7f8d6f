/**
 * Watches the needs of x402 payments: a node of the right network, and a facilitator, or ETH for gas and fees below the price
 * of a payment. Each problem is logged once until it is over; health and metrics show it as long as it lasts.
 */
import type { FacilitatorState } from '../../commands/payments/rails.ts';
import { type Clock, toTimestamp } from '../../ground/clock.ts';
import type { Log } from '../../ground/log.ts';
import { dollars, type MicroUsd } from '../../money/amounts.ts';

export type NetworkStatus = {
  gasPriceWei: bigint;
  signerWei?: bigint;
  settlementsLeft?: number;
};

/** CHOICE: fewer payments than these, and the operator is asked to refill. */
const fewSettlements = 50;
/** Gas of an ordinary payment, at most. */
const gasPerPayment = 90_000n;
const weiPerEth = 10n ** 18n;

/** The cost of an ordinary payment at this price of gas. */
export const costOfPayment = (gasPriceWei: bigint, ethUsd: number): MicroUsd =>
  (gasPerPayment * gasPriceWei * BigInt(ethUsd) * 1_000_000n) / weiPerEth;

const needOf = (settlementsLeft: number | undefined): string | undefined =>
  settlementsLeft !== undefined && settlementsLeft < fewSettlements
    ? `the address of X402_SIGNER_KEY has ETH for ${settlementsLeft === 0 ? 'no' : 'few'} more payments; send it some`
    : undefined;

const facilitatorNeeds: Record<FacilitatorState, string | undefined> = {
  settles: undefined,
  'other-networks':
    'the facilitator at X402_FACILITATOR_URL does not settle payments on X402_NETWORK',
  away: 'the facilitator at X402_FACILITATOR_URL cannot be reached',
};

const waitingOn = (networks: readonly string[]): string | undefined =>
  networks.length > 0
    ? `payments on ${networks.join(', ')} are not over; they wait until X402_NETWORK names their network again`
    : undefined;

type NetworkHealth = {
  status: 'ok' | 'degraded';
  /** RFC 3339. */
  since?: string;
  detail?: string;
  metrics: Record<string, number>;
};

export const createWatchNetwork = (ports: {
  /** @throws where the node cannot be asked, or is one of another network */
  status: () => Promise<NetworkStatus>;
  /** Absent: this process settles, and pays the gas. */
  facilitator?: (() => Promise<FacilitatorState>) | undefined;
  /** Networks of former settings whose payments are not over, by their names. */
  formerNetworks: () => Promise<readonly string[]>;
  readPriceMicro: MicroUsd;
  /** USD for one ETH. */
  ethUsd: number;
  log: Pick<Log, 'warn' | 'info'>;
  clock: Clock;
}) => {
  const { status, facilitator, formerNetworks, readPriceMicro, ethUsd, log, clock } = ports;
  let health: NetworkHealth = { status: 'ok', metrics: {} };
  /** The last logged problem. */
  let incident: string | undefined;
  let toldOfPrice = false;

  const say = (now: string | undefined): void => {
    if (now === incident) return;
    if (now === undefined) log.info({}, 'x402: payments can be settled again');
    else log.warn({}, `x402: ${now}`);
    incident = now;
  };

  /** It is degraded since the first look that found it so. */
  const sinceNow = (): string => health.since ?? toTimestamp(clock());

  const lookAtPrice = (gasPriceWei: bigint): void => {
    const cost = costOfPayment(gasPriceWei, ethUsd);
    const isDear = cost > readPriceMicro;
    if (isDear && !toldOfPrice) {
      log.warn(
        {},
        `x402: a payment costs about ${dollars(cost)} of gas now, more than X402_READ_PRICE (${dollars(readPriceMicro)}) brings; raise it`,
      );
    }
    toldOfPrice = isDear;
  };

  return {
    /** One look. Never throws: faults are in the answer. */
    async look(): Promise<void> {
      try {
        const { gasPriceWei, signerWei, settlementsLeft } = await status();
        const settling = await facilitator?.();
        const detail =
          (settling && facilitatorNeeds[settling]) ??
          needOf(settlementsLeft) ??
          waitingOn(await formerNetworks());
        say(detail);
        if (!settling) lookAtPrice(gasPriceWei);
        health = {
          status: detail ? 'degraded' : 'ok',
          ...(detail ? { since: sinceNow(), detail } : {}),
          metrics: {
            x402_node_up: 1,
            ...(settling ? { x402_facilitator_up: settling === 'settles' ? 1 : 0 } : {}),
            ...(signerWei === undefined ? {} : { x402_signer_eth: Number(signerWei) / 1e18 }),
            ...(settlementsLeft === undefined ? {} : { x402_settlements_left: settlementsLeft }),
          },
        };
      } catch (error) {
        const isNamed = error instanceof Error && error.name === 'WrongNetwork';
        const detail = isNamed ? error.message : 'the node at X402_RPC_URL cannot be reached';
        say(detail);
        const { x402_node_up: _, ...last } = health.metrics;
        const metrics = { ...last, x402_node_up: 0 };
        health = { status: 'degraded', since: sinceNow(), detail, metrics };
      }
    },

    health: (): NetworkHealth => health,
  };
};
