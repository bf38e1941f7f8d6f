/** Verifies and settles in this process, or by a facilitator elsewhere; reads the chain either way. */

import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import {
  type Address,
  createPublicClient,
  defineChain,
  type Hex,
  http,
  type PublicClient,
  recoverTypedDataAddress,
  type TransactionReceipt,
} from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import {
  type Authorization,
  type FacilitatorState,
  type FailedTransaction,
  type PaymentFault,
  type Rail,
  RailUnavailable,
  type Settlement,
} from '../../../commands/payments/rails.ts';
import type { Received } from '../../../commands/payments/received.ts';
import { defaultLimits } from '../../../limits/table.ts';
import { createChainWatch } from './chain-watch.ts';
import { type Facilitator, facilitatorState, remoteFacilitator } from './facilitator.ts';
import type { Network } from './networks.ts';
import { createSettler, ordinaryGas, paymentInCall } from './settler.ts';
import { createTransactions } from './transactions.ts';
import { createTransferReader } from './transfers.ts';
import { createChainReader, typedDataOf } from './usdc.ts';
import { requirementsV2 } from './wire.ts';

type RailSettings = {
  network: Network;
  payTo: string;
  rpcUrl: string;
  /** Signs and pays for the transactions. */
  signerKey?: Hex | undefined;
  /** Settles instead of our own signer. */
  facilitatorUrl?: string | undefined;
  /** How long a transaction is waited for. */
  confirmationMs?: number;
  /** The gas that settling one payment may take; also the limit of the transaction. */
  maxGas?: bigint;
  /** Told of transactions that stay where they are. */
  warn?: (line: string) => void;
  /** Told of a payment whose transaction failed when nobody waited for it any more. */
  failed?: (
    payment: Pick<Authorization, 'payer' | 'nonce'>,
    transaction: FailedTransaction,
  ) => void;
};

/** Reasons of facilitators, old and new; unknown ones count as `refused`. */
const faults: readonly [RegExp, PaymentFault][] = [
  [/nonce_already_used|authorization_used/, 'used'],
  [/insufficient/, 'funds'],
  [/valid_before|expired/, 'expired'],
  [/valid_after/, 'not_yet_valid'],
  [/recipient/, 'recipient'],
  [/value|amount/, 'amount'],
  [/signature/, 'signature'],
];

const faultOf = (reason = ''): PaymentFault =>
  faults.find(([pattern]) => pattern.test(reason))?.[1] ?? 'refused';

const payloadOf = (
  authorization: Authorization,
  requirements: PaymentRequirements,
): PaymentPayload => {
  const { payer, payTo, amountMicro, validAfter, validBefore, nonce, signature } = authorization;
  return {
    x402Version: 2,
    accepted: requirements,
    payload: {
      signature,
      authorization: {
        from: payer,
        to: payTo,
        value: String(amountMicro),
        validAfter: String(validAfter),
        validBefore: String(validBefore),
        nonce,
      },
    },
  };
};

const failureOf = (receipt: TransactionReceipt): FailedTransaction => ({
  transaction: receipt.transactionHash.toLowerCase(),
  feeWei: receipt.gasUsed * receipt.effectiveGasPrice,
});

/** Seconds that an authorization must be good for still, as the library has it. */
const marginSeconds = 6n;

/** Whether a message is signed by an address, which may be that of a contract. */
type VerifyMessage = (message: {
  address: Hex;
  message: string;
  signature: Hex;
}) => Promise<boolean>;

export type NetworkStatus = {
  /** The current price of a unit of gas, in wei. */
  gasPriceWei: bigint;
  /** The balance of our key, in wei; absent: a facilitator settles. */
  signerWei?: bigint;
  /** How many ordinary payments that is enough for, at the fee of now. */
  settlementsLeft?: number;
};

/** An address and the token that it receives, in lower case. */
type OurAddress = Pick<Rail, 'asset' | 'payTo'>;

export type X402Rail = Rail & {
  verifyMessage: VerifyMessage;
  /** Transfers to us in these blocks, both inclusive. `to`: of former settings on this network; absent: of today's. */
  transfers(fromBlock: number, toBlock: number, to?: OurAddress): Promise<Received[]>;
  /** The balance of our address, in millionths. */
  balance(of?: OurAddress): Promise<bigint>;
  /** How the network is. @throws RailUnavailable also for a node of another network */
  status(): Promise<NetworkStatus>;
  /** Whether the facilitator settles. Absent: this process does. */
  facilitator?: (() => Promise<FacilitatorState>) | undefined;
  /** Goes on with transactions of ours that a process before this one left at the node. */
  resume(): Promise<void>;
  /** Sends no transaction again any more; what waits at the node stays there. */
  close(): void;
};

const clientOf = (network: Network, rpcUrl: string): PublicClient => {
  const chain = defineChain({
    id: network.chainId,
    name: network.nameV1,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  });
  return createPublicClient({
    chain,
    transport: http(rpcUrl, { timeout: 10_000, retryCount: 1 }),
  });
};

/** The transactions of our own key. */
const transactionsOf = (
  { network, warn = () => {}, failed }: RailSettings,
  client: PublicClient,
  account: PrivateKeyAccount,
  confirmationMs: number,
) =>
  createTransactions({
    client,
    account,
    chainId: network.chainId,
    warn,
    resendMs: confirmationMs / 3,
    failed: (call, receipt) => {
      const payment = paymentInCall(call);
      if (payment) failed?.(payment, failureOf(receipt));
    },
  });

/** Names the fault of a payment. The settler settles. */
const localFacilitator = (
  client: PublicClient,
  own: { account: PrivateKeyAccount } | undefined,
): Facilitator => {
  if (!own) throw new Error('x402 needs a signer or a facilitator');
  const notHere = async () => {
    throw new Error('the settler sends');
  };
  const evm = toFacilitatorEvmSigner({
    address: own.account.address,
    getCode: client.getCode as never,
    readContract: client.readContract as never,
    verifyTypedData: client.verifyTypedData as never,
    writeContract: notHere,
    sendTransaction: notHere,
    waitForTransactionReceipt: notHere,
  });
  return new ExactEvmScheme(evm);
};

const requirementsFor =
  ({ network, payTo }: RailSettings) =>
  ({ amountMicro }: Authorization): PaymentRequirements =>
    requirementsV2({ amountMicro, payTo, network });

/** Hides errors of nodes and libraries: their texts contain addresses and access keys. */
const createOrUnavailable =
  (chainWatch: ReturnType<typeof createChainWatch>) =>
  async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      await chainWatch.assertRight();
      return await work();
    } catch (error) {
      throw error instanceof RailUnavailable ? error : new RailUnavailable(error);
    }
  };

type OrUnavailable = ReturnType<typeof createOrUnavailable>;

const isSignedBy = async (
  client: PublicClient,
  network: Network,
  orUnavailable: OrUnavailable,
  authorization: Authorization,
): Promise<boolean> => {
  const { signature, payer } = authorization;
  const data = typedDataOf(authorization, network);
  if (signature.length === 132) {
    const recovered = await recoverTypedDataAddress({
      ...data,
      signature: signature as Hex,
    }).catch(() => undefined);
    if (recovered?.toLowerCase() === payer) return true;
  }
  return orUnavailable(async () => {
    const code = await client.getCode({ address: payer as Address });
    if (code === undefined || code === '0x') return false;
    return client.verifyTypedData({
      ...data,
      address: payer as Address,
      signature: signature as Hex,
    });
  });
};

/** Checks that the chain cannot make: the payment is for us, and valid for long enough to be mined. */
const isInTime = (
  ourAddress: string,
  { payTo: to, validAfter, validBefore }: Authorization,
): boolean => {
  const now = BigInt(Math.floor(Date.now() / 1_000));
  return to === ourAddress && validAfter <= now && validBefore >= now + marginSeconds;
};

const networkStatus = async (
  client: PublicClient,
  settler: ReturnType<typeof createSettler> | undefined,
): Promise<NetworkStatus> => {
  const [gasPriceWei, signerWei] = await Promise.all([client.getGasPrice(), settler?.balance()]);
  if (signerWei === undefined) return { gasPriceWei };
  const eachWei = ordinaryGas * (gasPriceWei > 0n ? gasPriceWei : 1n);
  const settlementsLeft = Math.min(Number(signerWei / eachWei), Number.MAX_SAFE_INTEGER);
  return { gasPriceWei, signerWei, settlementsLeft };
};

/** The parts that verify and settle payments to one address. `settler`: sends our own transactions. */
type Parts = {
  payTo: string;
  /** In lower case. */
  asset: string;
  facilitator: Facilitator;
  settler: ReturnType<typeof createSettler> | undefined;
  reader: ReturnType<typeof createChainReader>;
  requirementsOf: (authorization: Authorization) => PaymentRequirements;
  orUnavailable: OrUnavailable;
};

const verifyBy = async (
  { payTo, facilitator, settler, reader, requirementsOf, orUnavailable }: Parts,
  authorization: Authorization,
): Promise<PaymentFault | undefined> => {
  if (isInTime(payTo, authorization) && (await settler?.takes(authorization))) return undefined;
  const requirements = requirementsOf(authorization);
  const { isValid, invalidReason } = await facilitator.verify(
    payloadOf(authorization, requirements),
    requirements,
  );
  if (isValid && settler) {
    // It waits already, or only its cost is wrong: our balance is too low, or nothing is left of it.
    if (await settler.isWaiting(authorization)) return 'used';
    await settler.assertGasMoney();
    return (await settler.takes(authorization)) ? undefined : 'gas';
  }
  if (isValid) return undefined;
  const fault = faultOf(invalidReason);
  // A node that is away makes every simulation fail.
  if (fault === 'refused') await orUnavailable(reader.head);
  return fault;
};

const settleBy = async (
  { asset, facilitator, settler, reader, requirementsOf, orUnavailable }: Parts,
  authorization: Authorization,
): Promise<Settlement> => {
  if (settler) {
    const sent = await settler.send(authorization);
    if (!sent) await orUnavailable(settler.assertGasMoney);
    const receipt = sent?.receipt;
    if (!receipt) return { state: 'pending' };
    if (receipt.status !== 'success') return { state: 'failed', ...failureOf(receipt) };
    const fate = reader.fateIn(receipt, { ...authorization, asset });
    return { state: 'sent', transaction: receipt.transactionHash, fate };
  }
  // A payment that is settled again may name the address of former settings.
  const requirements = { ...requirementsOf(authorization), payTo: authorization.payTo };
  const { success, transaction, errorReason } = await facilitator
    .settle(payloadOf(authorization, requirements), requirements)
    .catch(() => ({ success: false, transaction: '', errorReason: undefined }));
  if (success) return { state: 'sent', transaction };
  const fault = faultOf(errorReason);
  // Anything else may have been sent: it is pending until the chain shows its outcome.
  return fault === 'refused' ? { state: 'pending' } : { state: 'refused', fault };
};

export const createRail = (settings: RailSettings): X402Rail => {
  const { network, rpcUrl, signerKey, facilitatorUrl, confirmationMs = 20_000 } = settings;
  const payTo = settings.payTo.toLowerCase();
  const asset = network.asset.toLowerCase();
  const today = { asset, payTo };
  const client = clientOf(network, rpcUrl);
  const account = signerKey && privateKeyToAccount(signerKey);
  const signer = account?.address.toLowerCase();
  const own =
    account && facilitatorUrl === undefined
      ? { account, transactions: transactionsOf(settings, client, account, confirmationMs) }
      : undefined;
  const requirementsOf = requirementsFor(settings);

  const facilitator: Facilitator =
    facilitatorUrl === undefined
      ? localFacilitator(client, own)
      : remoteFacilitator(facilitatorUrl, confirmationMs);

  const { maxGas = BigInt(defaultLimits.gasPerPayer) } = settings;
  const settler = own && createSettler({ client, network, confirmationMs, maxGas, ...own });
  const orUnavailable = createOrUnavailable(createChainWatch({ client, network }));
  const transfers = createTransferReader({ client, network });
  const reader = createChainReader({ client, network, signer });

  const parts = { payTo, asset, facilitator, settler, reader, requirementsOf, orUnavailable };

  /** A payment that is presented is checked more than once. */
  const signed = new WeakSet<Authorization>();

  return {
    network: network.network,
    asset,
    payTo,
    signer: own && signer,
    head: () => orUnavailable(reader.head),
    verifyMessage: (message) => client.verifyMessage(message),
    balance: (of = today) => orUnavailable(() => reader.balanceOf(of.payTo, of.asset)),
    balanceOf: (address) => orUnavailable(() => reader.balanceOf(address, asset)),
    status: () => orUnavailable(() => networkStatus(client, settler)),
    facilitator:
      facilitatorUrl === undefined
        ? undefined
        : () => facilitatorState(facilitatorUrl, network, confirmationMs),
    transfers: (fromBlock, toBlock, to = today) =>
      orUnavailable(() => transfers(to, fromBlock, toBlock)),

    async isSigned(authorization) {
      if (signed.has(authorization)) return true;
      const good = await isSignedBy(client, network, orUnavailable, authorization);
      if (good) signed.add(authorization);
      return good;
    },

    verify: (authorization) => orUnavailable(() => verifyBy(parts, authorization)),
    settle: (authorization) => settleBy(parts, authorization),
    ...(settler && {
      senderOf: (authorization: Authorization) =>
        orUnavailable(() => settler.senderOf(authorization)),
    }),
    gasOf: (authorization) => settler && { gas: settler.gasOf(authorization), ceiling: maxGas },
    resume: () => orUnavailable(async () => own?.transactions.adopt()),
    close: () => own?.transactions.close(),

    fateOf: (sought, sinceBlock, transaction) =>
      orUnavailable(() => reader.fateOf({ asset, ...sought }, sinceBlock, transaction)),
  };
};
