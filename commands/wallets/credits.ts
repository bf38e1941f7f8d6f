import { AppError } from '../../contract/errors.ts';
import { type Purpose, type Receipt, toAmounts, type WalletEvent } from '../../events/wallet.ts';
import { dollars, type MicroUsd } from '../../money/amounts.ts';
import { type Bucket, inBucket } from '../../money/buckets.ts';
import { spendable } from './reserve-funds.ts';
import type { Wallet } from './state.ts';

export type CreditFunds = {
  type: 'CreditFunds';
  receipt: Receipt;
  bucket: Bucket;
  amountMicro: MicroUsd;
  reference?: string;
};

/** Adds money from outside, once per receipt. */
export const creditFunds = (state: Wallet, command: CreditFunds): WalletEvent[] => {
  const { receipt, bucket, amountMicro, reference } = command;
  if (state.receipts.has(receipt.id)) return [];
  if (amountMicro <= 0n) throw new Error('a credit is more than zero');
  return [
    {
      type: 'FundsCredited',
      data: { receipt, bucket, amountMicro: Number(amountMicro) },
      ...(reference === undefined ? {} : { personal: { reference } }),
    },
  ];
};

/** The purpose of a credit. */
export type Hold = { purpose: Purpose; attemptId: string; commissionMicro: MicroUsd };

/** Credits and holds all of it for a purpose, in one commit: nothing else is paid with it. */
export const creditAndHold = (state: Wallet, command: CreditFunds, hold: Hold): WalletEvent[] => {
  const credited = creditFunds(state, command);
  if (credited.length === 0) return [];
  const { purpose, attemptId, commissionMicro } = hold;
  const commission = inBucket(command.bucket, commissionMicro);
  const reserved: WalletEvent = {
    type: 'FundsReserved',
    data: {
      purpose,
      attemptId,
      ...toAmounts(inBucket(command.bucket, command.amountMicro)),
      commissionCryptoMicro: Number(commission.crypto),
      commissionFiatMicro: Number(commission.fiat),
    },
  };
  return [...credited, reserved];
};

type ChargeBackFunds = {
  type: 'ChargeBackFunds';
  /** Of the charge-back itself. */
  receipt: Receipt;
  /** Id of the receipt that was credited. */
  creditId: string;
  amountMicro: MicroUsd;
};

/**
 * Takes a credit back, or a part of it, once per receipt. Includes money that is spent already, so that the
 * balance may fall below zero. A wallet below zero reserves nothing.
 * @throws Error for a credit that this wallet never got, or more than is left of it
 */
export const chargeBackFunds = (state: Wallet, command: ChargeBackFunds): WalletEvent[] => {
  const { receipt, creditId, amountMicro } = command;
  const receipts = state.receipts;
  if (receipts.has(receipt.id)) return [];
  const credited = receipts.get(creditId);
  if (!credited) throw new Error(`charge-back ${receipt.id}: there is no credit ${creditId}`);
  const { bucket, reversibleMicro } = credited;
  if (amountMicro <= 0n) throw new Error('a charge-back is more than zero');
  if (amountMicro > reversibleMicro) {
    throw new Error(
      `charge-back ${receipt.id} is ${dollars(amountMicro)}; of credit ${creditId} only ${dollars(reversibleMicro)} can be charged back`,
    );
  }
  const data = { receipt, creditId, bucket, amountMicro: Number(amountMicro) };
  return [{ type: 'FundsChargedBack', data }];
};

/** Receipt of the money returned for a credit after it was charged back. */
export const reinstatedId = (creditId: string, by: string): string =>
  `${creditId}:reinstated:${by}`;

/** Whether money with this receipt had been charged back before: by a refund that failed, or a dispute that was won. */
export const isReinstated = (receiptId: string): boolean => receiptId.includes(':reinstated');

/** Receipt of the money by which an operator raised a credit. */
const raisedId = (creditId: string, by: string): string => `${creditId}:raised:${by}`;

type CreditPart = { id: string; leftMicro: MicroUsd };

/** The rest of a credit, including amounts that were returned or by which it was raised. */
export const partsOfCredit = ({ receipts }: Wallet, creditId: string): CreditPart[] => {
  const more = [reinstatedId(creditId, ''), raisedId(creditId, '')];
  return [...receipts].flatMap(([id, { reversibleMicro: leftMicro }]) =>
    leftMicro > 0n && (id === creditId || more.some((prefix) => id.startsWith(prefix)))
      ? [{ id, leftMicro }]
      : [],
  );
};

/** The sum that is left of the parts of a credit. */
export const restOf = (parts: readonly CreditPart[]): MicroUsd =>
  parts.reduce((rest, { leftMicro }) => rest + leftMicro, 0n);

/** Charges an amount back to the parts of a credit, in their order, and takes it out of `parts`. */
export const chargeBackParts = (
  state: Wallet,
  parts: CreditPart[],
  wholeMicro: MicroUsd,
  /** The receipt of the charge-back of a part; `taken`: the number of parts charged back before it. */
  receiptOf: (part: CreditPart, taken: number) => Receipt,
): WalletEvent[] => {
  let rest = wholeMicro;
  const events: WalletEvent[] = [];
  for (const part of parts) {
    const amountMicro = rest < part.leftMicro ? rest : part.leftMicro;
    if (amountMicro === 0n) continue;
    const receipt = receiptOf(part, events.length);
    const { id: creditId } = part;
    events.push(
      ...chargeBackFunds(state, { type: 'ChargeBackFunds', receipt, creditId, amountMicro }),
    );
    rest -= amountMicro;
    part.leftMicro -= amountMicro;
  }
  return events;
};

/**
 * Takes a credit back whole, once, whether it was credited or was still to be: one that comes late finds its
 * receipt used.
 */
export const takeBackCredit = (state: Wallet, command: CreditFunds): WalletEvent[] => {
  const { receipt, bucket, amountMicro } = command;
  const back = { method: receipt.method, id: `${receipt.id}:reverted` };
  if (state.receipts.has(back.id)) return [];
  const data = { receipt: back, creditId: receipt.id, bucket, amountMicro: Number(amountMicro) };
  return [...creditFunds(state, command), { type: 'FundsChargedBack', data }];
};

type AdjustCredit = {
  type: 'AdjustCredit';
  /** Of the adjustment itself. */
  receipt: Receipt;
  /** Id of the receipt that was credited wrongly. */
  creditId: string;
  /** The amount that the credit should have had. */
  rightMicro: MicroUsd;
  reason: string;
  /** Whether it may reduce the available balance below zero. */
  mayOverdraw: boolean;
};

/**
 * Makes a credit by an operator what it should have been, once per receipt.
 * @throws AppError insufficient_funds when it was spent meanwhile; Error for a credit there never was
 */
export const adjustCredit = (state: Wallet, command: AdjustCredit): WalletEvent[] => {
  const { receipt, creditId, rightMicro, reason, mayOverdraw: belowZero } = command;
  const raised = { ...receipt, id: raisedId(creditId, receipt.id) };
  if (state.receipts.has(receipt.id) || state.receipts.has(raised.id)) return [];
  const credited = state.receipts.get(creditId);
  if (!credited) throw new Error(`there is no credit ${creditId}`);
  const { bucket } = credited;
  const reference = reason;
  const parts = partsOfCredit(state, creditId);
  const amountMicro = restOf(parts) - rightMicro;
  if (amountMicro === 0n) return [];
  if (amountMicro < 0n) {
    const more = { receipt: raised, bucket, amountMicro: -amountMicro, reference };
    return creditFunds(state, { type: 'CreditFunds', ...more });
  }
  const leftMicro = spendable(state.available)[bucket];
  if (!belowZero && amountMicro > leftMicro) {
    throw new AppError(
      'insufficient_funds',
      `Only ${dollars(leftMicro)} (${bucket}) is left of the ${dollars(amountMicro)}. Use --below-zero to take it anyway.`,
    );
  }
  const { method, id } = receipt;
  return chargeBackParts(state, parts, amountMicro, (_, taken) => ({
    method,
    id: taken === 0 ? id : `${id}:${taken}`,
  })).map((event) => ({ ...event, personal: { reference } }) as WalletEvent);
};
