/** The ports of payments: what settles an authorization on its chain, and what the chain knows of it. */
import type { ChainTransfer } from '../../events/payment.ts';
import type { MicroUsd } from '../../money/amounts.ts';

/** An EIP-3009 `transferWithAuthorization`, checked for its form; addresses and nonce in lower case. */
export type Authorization = {
  payer: string;
  payTo: string;
  amountMicro: MicroUsd;
  /** Seconds of the epoch, both exclusive. */
  validAfter: bigint;
  validBefore: bigint;
  nonce: string;
  /** 0x and hex digits. */
  signature: string;
};

/**
 * An authorization as it is looked for on the chain. `asset`: its token; absent: the token of the rail. `signer`: our key
 * that may have sent it, besides today's. Both in lower case.
 */
export type Sought = Pick<Authorization, 'payer' | 'payTo' | 'nonce' | 'amountMicro'> & {
  asset?: string;
  signer?: string | undefined;
};

/** The state of an authorization on the chain. `unknown` is not `unused`: the chain could not be asked. */
export type Fate =
  | { state: 'unused' }
  /** Used up without a transfer to the address that it names. */
  | { state: 'cancelled' }
  | { state: 'paid'; transfer: ChainTransfer; ours: boolean; feeWei: bigint };

/** Why an authorization is not good, in our own words: codes are stable, texts of nodes stay inside. */
export type PaymentFault =
  | 'signature'
  | 'expired'
  | 'not_yet_valid'
  | 'used'
  | 'funds'
  | 'recipient'
  | 'amount'
  /** Its transfer takes more gas than is paid for here. */
  | 'gas'
  /** Settling for its payer failed on the chain lately. */
  | 'failed_before'
  | 'refused';

/** Whether a facilitator elsewhere settles payments on the network; `away`: it cannot be asked. */
export type FacilitatorState = 'settles' | 'other-networks' | 'away';

/** A transaction of ours that was mined in vain, and what that cost us. */
export type FailedTransaction = { transaction: string; feeWei: bigint };

export type Settlement =
  /** `fate`: by its receipt, where that was read. */
  | { state: 'sent'; transaction: string; fate?: Fate | undefined }
  /** Broadcast or not, it is not mined yet. */
  | { state: 'pending' }
  /** It was mined and moved nothing. */
  | ({ state: 'failed' } & FailedTransaction)
  | { state: 'refused'; fault: PaymentFault };

/** One network and asset. @throws RailUnavailable where it cannot be asked */
export type Rail = {
  /** CAIP-2. */
  network: string;
  /** In lower case. */
  asset: string;
  payTo: string;
  /** The address of our key that sends transactions, in lower case. Absent: a facilitator sends them. */
  signer?: string | undefined;
  /** The newest block. */
  head(): Promise<number>;
  /** Whether the payer signed it. Costs no call for an ordinary account. */
  isSigned(authorization: Authorization): Promise<boolean>;
  /** Undefined: it can be settled now. */
  verify(authorization: Authorization): Promise<PaymentFault | undefined>;
  /** The balance of an address in the asset, in the newest block. */
  balanceOf(address: string): Promise<MicroUsd>;
  /** The gas that its transaction may take at our cost, and that one payment may. Undefined: somebody else pays for it. */
  gasOf(authorization: Authorization): { gas: bigint; ceiling: bigint } | undefined;
  /**
   * The sender of a transaction that uses it and waits at the node: this process, or another one. Undefined: the node has
   * none, or does not show it. Absent: a facilitator sends them.
   */
  senderOf?(authorization: Authorization): Promise<'this' | 'another' | undefined>;
  /** Sends it to the chain and waits for it to be mined, within bounds. */
  settle(authorization: Authorization): Promise<Settlement>;
  /** @param transaction that is believed to have used it, which saves looking for it */
  fateOf(sought: Sought, sinceBlock: number, transaction?: string): Promise<Fate>;
};

/** The chain, or the facilitator, cannot be asked at the moment. Nothing is known. */
export class RailUnavailable extends Error {
  constructor(cause: unknown, message = 'the payment network cannot be reached') {
    super(message, { cause });
    this.name = 'RailUnavailable';
  }
}

/** The key that settles has no ETH for it: nothing was sent. */
export class NoGasMoney extends RailUnavailable {
  constructor() {
    super(undefined, 'the key that settles payments cannot pay for gas');
    this.name = 'NoGasMoney';
  }
}
