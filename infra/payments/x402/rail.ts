/** Verifies and settles in this process, or by a facilitator elsewhere; reads the chain either way. */
import { HTTPFacilitatorClient } from '@x402/core/http';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import {
  type Address,
  createPublicClient,
  createWalletClient,
  defineChain,
  type Hex,
  http,
  publicActions,
  recoverTypedDataAddress,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import {
  type Authorization,
  type PaymentFault,
  type Rail,
  RailUnavailable,
  type Settlement,
} from '../../../commands/payments/rails.ts';
import type { Received } from '../../../commands/payments/received.ts';
import type { Network } from './networks.ts';
import { createNonces } from './nonces.ts';
import { createSettler } from './settler.ts';
import { createTransferReader } from './transfers.ts';
import { createChainReader, typedDataOf } from './usdc.ts';
import { maxTimeoutSeconds } from './wire.ts';

export type RailSettings = {
  network: Network;
  payTo: string;
  rpcUrl: string;
  /** Signs and pays for the transactions. */
  signerKey?: Hex | undefined;
  /** Settles in place of a signer of ours. */
  facilitatorUrl?: string | undefined;
  /** How long a transaction is waited for. */
  confirmationMs?: number;
  pollMs?: number;
};

type Verdict = { isValid: boolean; invalidReason?: string };
type Settled = { success: boolean; transaction: string; errorReason?: string };

/** What verifies and settles. */
type Facilitator = {
  verify(payload: PaymentPayload, requirements: PaymentRequirements): Promise<Verdict>;
  settle(payload: PaymentPayload, requirements: PaymentRequirements): Promise<Settled>;
};

/** Reasons of facilitators, old and new; what is not known counts as `refused`. */
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

/** Seconds that an authorization must be good for still, as the library has it. */
const marginSeconds = 6n;

/** Tries to send a transaction: another process may sign with the same key, and take the number first. */
const attempts = 3;

/** Whether a message is signed by an address, which may be that of a contract. */
type VerifyMessage = (message: {
  address: Hex;
  message: string;
  signature: Hex;
}) => Promise<boolean>;

export type X402Rail = Rail & {
  verifyMessage: VerifyMessage;
  /** Transfers to us in these blocks, both inclusive. */
  transfers(fromBlock: number, toBlock: number): Promise<Received[]>;
  /** What our address holds, in millionths. */
  balance(): Promise<bigint>;
};

export const createRail = (settings: RailSettings): X402Rail => {
  const { network, rpcUrl, signerKey, facilitatorUrl, confirmationMs = 20_000 } = settings;
  const payTo = settings.payTo.toLowerCase();
  const chain = defineChain({
    id: network.chainId,
    name: network.nameV1,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  });
  const connection = {
    chain,
    transport: http(rpcUrl, { timeout: 10_000, retryCount: 1 }),
    pollingInterval: settings.pollMs ?? 500,
  };
  const client = createPublicClient(connection);
  const nonces = createNonces();
  const account = signerKey && privateKeyToAccount(signerKey, { nonceManager: nonces });
  const signer = account?.address.toLowerCase();

  const local = (): Facilitator => {
    if (!account) throw new Error('x402 needs a signer or a facilitator');
    const wallet = createWalletClient({ ...connection, account }).extend(publicActions);
    const evm = toFacilitatorEvmSigner(
      {
        address: account.address,
        getCode: wallet.getCode as never,
        readContract: wallet.readContract as never,
        verifyTypedData: wallet.verifyTypedData as never,
        writeContract: wallet.writeContract as never,
        sendTransaction: wallet.sendTransaction as never,
        waitForTransactionReceipt: wallet.waitForTransactionReceipt as never,
      },
      { confirmationTimeoutMs: confirmationMs },
    );
    return new ExactEvmScheme(evm);
  };

  const facilitator: Facilitator =
    facilitatorUrl === undefined ? local() : new HTTPFacilitatorClient({ url: facilitatorUrl });

  const settler =
    account && facilitatorUrl === undefined
      ? createSettler({ client, account, nonces, network, confirmationMs })
      : undefined;
  const transfers = createTransferReader({ client, network, payTo });
  const reader = createChainReader({ client, network, payTo, signer });

  const requirementsOf = ({ amountMicro }: Authorization): PaymentRequirements => ({
    scheme: 'exact',
    network: network.network,
    amount: String(amountMicro),
    asset: network.asset,
    payTo: settings.payTo,
    maxTimeoutSeconds,
    extra: { name: network.assetName, version: network.assetVersion },
  });

  /** What nodes and libraries throw stays in here: their texts hold addresses and keys of access. */
  const orUnavailable = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw error instanceof RailUnavailable ? error : new RailUnavailable(error);
    }
  };

  /** Whether it was its fault: a node that is away makes every simulation fail. */
  const assertReachable = (): Promise<unknown> => orUnavailable(reader.head);

  /** Who presents a payment is asked for more than once. */
  const signed = new WeakSet<Authorization>();

  const isSigned = async (authorization: Authorization): Promise<boolean> => {
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

  /** What the chain does not know: that it is for us, and good for long enough to be mined. */
  const isInTime = ({ payTo: to, validAfter, validBefore }: Authorization): boolean => {
    const now = BigInt(Math.floor(Date.now() / 1_000));
    return to === payTo && validAfter <= now && validBefore >= now + marginSeconds;
  };

  type Attempt = { settlement: Settlement; sent: boolean };

  const sendOurselves = async (authorization: Authorization): Promise<Attempt | undefined> => {
    const own = await settler?.send(authorization);
    if (!own) return undefined;
    const { transaction, receipt } = own;
    const fate = receipt && reader.fateIn(receipt, authorization);
    if (receipt?.status === 'success')
      return { settlement: { state: 'sent', transaction, fate }, sent: true };
    if (account) nonces.reset({ address: account.address, chainId: network.chainId });
    return { settlement: { state: 'pending' }, sent: true };
  };

  /** `sent`: a node took the transaction, so that it must not be sent again. */
  const settleOnce = async (authorization: Authorization): Promise<Attempt> => {
    const own = await sendOurselves(authorization);
    if (own) return own;
    const requirements = requirementsOf(authorization);
    const { success, transaction, errorReason } = await facilitator
      .settle(payloadOf(authorization, requirements), requirements)
      .catch(() => ({ success: false, transaction: '', errorReason: undefined }));
    const sent = transaction !== '';
    if (success) return { settlement: { state: 'sent', transaction }, sent };
    if (account) nonces.reset({ address: account.address, chainId: network.chainId });
    const fault = faultOf(errorReason);
    // Anything else may have been sent: it is pending until the chain says what became of it.
    return {
      settlement: fault === 'refused' ? { state: 'pending' } : { state: 'refused', fault },
      sent,
    };
  };

  return {
    network: network.network,
    asset: network.asset.toLowerCase(),
    payTo,
    head: () => orUnavailable(reader.head),
    verifyMessage: (message) => client.verifyMessage(message),
    balance: () => orUnavailable(reader.balance),
    transfers: (fromBlock, toBlock) => orUnavailable(() => transfers(fromBlock, toBlock)),

    async isSigned(authorization) {
      if (signed.has(authorization)) return true;
      const good = await isSigned(authorization);
      if (good) signed.add(authorization);
      return good;
    },

    verify: (authorization) =>
      orUnavailable(async () => {
        if (isInTime(authorization) && (await settler?.takes(authorization))) return undefined;
        const requirements = requirementsOf(authorization);
        const { isValid, invalidReason } = await facilitator.verify(
          payloadOf(authorization, requirements),
          requirements,
        );
        if (isValid) return undefined;
        const fault = faultOf(invalidReason);
        if (fault === 'refused') await assertReachable();
        return fault;
      }),

    async settle(authorization) {
      const settled = nonces.settling();
      try {
        for (let attempt = 1; ; attempt++) {
          const { settlement, sent } = await settleOnce(authorization);
          const again = settlement.state === 'pending' && !sent && account !== undefined;
          if (!again || attempt === attempts) return settlement;
        }
      } finally {
        settled();
      }
    },

    fateOf: (authorization, sinceBlock, transaction) =>
      orUnavailable(() => reader.fateOf(authorization, sinceBlock, transaction)),
  };
};
