import { expect } from 'chai';
import type { FacilitatorState } from '../../commands/payments/rails.ts';
import {
  costOfPayment,
  createWatchNetwork,
  type NetworkStatus,
} from '../../reactors/payments/watch-network.ts';

const gwei = 1_000_000_000n;
const readPriceMicro = 10_000n;

/** A watch over a network whose state a test sets, with what it logs. */
const watch = ({ ethUsd = 3_000, hasFacilitator = false } = {}) => {
  const lines: string[] = [];
  let state: NetworkStatus = { gasPriceWei: 0n };
  let formerNetworks: string[] = [];
  let facilitator: FacilitatorState = 'settles';
  let nowMs = Date.parse('2026-11-24T10:04:00Z');
  const log = {
    warn: (_: object, line: string) => void lines.push(`warn ${line}`),
    info: (_: object, line: string) => void lines.push(`info ${line}`),
  };
  const network = createWatchNetwork({
    status: async () => state,
    facilitator: hasFacilitator ? async () => facilitator : undefined,
    formerNetworks: async () => formerNetworks,
    readPriceMicro,
    ethUsd,
    log,
    clock: () => nowMs,
  });
  /** The log lines of one look at a network in this state. */
  const look = async (next: NetworkStatus): Promise<string[]> => {
    state = next;
    await network.look();
    return lines.splice(0);
  };
  return {
    look,
    health: network.health,
    facilitatorIs(now: FacilitatorState): void {
      facilitator = now;
    },
    leaveOpen(...networks: string[]): void {
      formerNetworks = networks;
    },
    pass(ms: number): void {
      nowMs += ms;
    },
  };
};

describe('the watch over the payment network', () => {
  it('counts the gas of an ordinary payment in dollars', () => {
    // 90,000 gas at 1 gwei are 0.00009 ETH.
    expect(costOfPayment(gwei, 3_000)).to.equal(270_000n);
    expect(costOfPayment(gwei, 1_500)).to.equal(135_000n);
    expect(costOfPayment(0n, 3_000)).to.equal(0n);
  });

  it('warns once while a read costs more gas than it brings, and again after it was cheap', async () => {
    const { look, health } = watch();
    const cheap = { gasPriceWei: gwei / 100n };
    const dear = { gasPriceWei: gwei };
    expect(await look(cheap)).to.deep.equal([]);
    const [line, ...more] = await look(dear);
    expect(more).to.deep.equal([]);
    expect(line).to.equal(
      'warn x402: a payment costs about $0.27 of gas now, more than X402_READ_PRICE ($0.01) brings; raise it',
    );
    expect(await look(dear)).to.deep.equal([]);
    expect(await look(cheap)).to.deep.equal([]);
    expect(await look(dear)).to.have.length(1);
    // Payments are settled meanwhile.
    expect(health().status).to.equal('ok');
  });

  it('says since when it is degraded, until it is over', async () => {
    const { look, health, pass } = watch();
    const empty = { gasPriceWei: 0n, settlementsLeft: 0 };
    await look(empty);
    pass(60_000);
    await look({ ...empty, settlementsLeft: 3 });
    expect([health().status, health().since]).to.deep.equal([
      'degraded',
      '2026-11-24T10:04:00.000Z',
    ]);
    await look({ gasPriceWei: 0n, settlementsLeft: 500 });
    expect([health().status, health().since]).to.deep.equal(['ok', undefined]);
    await look(empty);
    expect(health().since).to.equal('2026-11-24T10:05:00.000Z');
  });

  it('is degraded while payments of a former network are not over', async () => {
    const { look, health, leaveOpen } = watch();
    leaveOpen('base');
    const detail =
      'payments on base are not over; they wait until X402_NETWORK names their network again';
    expect(await look({ gasPriceWei: 0n, settlementsLeft: 500 })).to.deep.equal([
      `warn x402: ${detail}`,
    ]);
    expect(health()).to.include({ status: 'degraded', detail });
    leaveOpen();
    await look({ gasPriceWei: 0n, settlementsLeft: 500 });
    expect(health().status).to.equal('ok');
  });

  it('goes by the price of ETH that the operator states, and not before the cost passes the price', async () => {
    // At $3,000, 90,000 gas cost $0.01 at this price of gas.
    const gasPriceWei = (readPriceMicro * 10n ** 18n) / (90_000n * 3_000n * 1_000_000n);
    expect(await watch({ ethUsd: 3_000 }).look({ gasPriceWei })).to.deep.equal([]);
    expect(await watch({ ethUsd: 3_100 }).look({ gasPriceWei })).to.have.length(1);
    expect(await watch({ ethUsd: 3_000 }).look({ gasPriceWei: gasPriceWei * 2n })).to.have.length(
      1,
    );
    expect(await watch({ ethUsd: 1_400 }).look({ gasPriceWei: gasPriceWei * 2n })).to.deep.equal(
      [],
    );
  });

  it('says that the facilitator does not settle, and nothing about the price of gas', async () => {
    const { look, health, facilitatorIs } = watch({ hasFacilitator: true });
    const dear = { gasPriceWei: gwei };
    expect(await look(dear)).to.deep.equal([]);
    expect(health().metrics).to.include({ x402_facilitator_up: 1, x402_node_up: 1 });
    for (const [state, what] of [
      ['away', 'cannot be reached'],
      ['other-networks', 'does not settle payments on X402_NETWORK'],
    ] as const) {
      facilitatorIs(state);
      expect(await look(dear)).to.deep.equal([
        `warn x402: the facilitator at X402_FACILITATOR_URL ${what}`,
      ]);
      expect(health().status).to.equal('degraded');
      expect(health().metrics).to.include({ x402_facilitator_up: 0 });
    }
    facilitatorIs('settles');
    expect(await look(dear)).to.deep.equal(['info x402: payments can be settled again']);
  });
});
