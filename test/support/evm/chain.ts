/** A chain of its own for tests and the demonstration: anvil, with USDC at its place on Base Sepolia. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import {
  type Address,
  createTestClient,
  type Hex,
  http,
  maxUint256,
  publicActions,
  walletActions,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { baseSepolia } from 'viem/chains';
import { freePort } from '../free-port.ts';

type Contract = { abi: readonly unknown[]; bytecode: Hex };
/** Compiled from the files next to it. */
const { testUsdc, multicall } = JSON.parse(
  readFileSync(new URL('./contracts.json', import.meta.url), 'utf8'),
) as { testUsdc: Contract; multicall: Contract };

const usdcAbi = testUsdc.abi;
/** USDC on Base Sepolia, the default asset of stock clients there. */
const usdcAddress: Address = '0x036CbD53842c5426634e7929541eC2318f3dCF7e';
const multicallAddress: Address = '0xcA11bde05977b3631167028862bE2a173976CA11';
/** The first account that anvil makes, rich in ETH. */
const richKey: Hex = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';

const anvilBinary = (): string => {
  const require = createRequire(import.meta.url);
  const launcher = require.resolve('@foundry-rs/anvil/package.json');
  const name = `@foundry-rs/anvil-${process.platform}-${process.arch.replace('x64', 'amd64')}`;
  return createRequire(launcher).resolve(`${name}/bin/anvil`);
};

const clientOf = (url: string) =>
  createTestClient({
    mode: 'anvil',
    chain: baseSepolia,
    account: privateKeyToAccount(richKey),
    transport: http(url, { retryCount: 0 }),
    pollingInterval: 50,
  })
    .extend(publicActions)
    .extend(walletActions);

type Client = ReturnType<typeof clientOf>;

const untilItAnswers = async (client: Client, exited: () => boolean): Promise<void> => {
  const deadline = Date.now() + 20_000;
  for (;;) {
    try {
      await client.getChainId();
      return;
    } catch (error) {
      if (exited() || Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
};

const deployAt = async (client: Client, place: Address, { abi, bytecode }: Contract) => {
  const hash = await client.deployContract({ abi, bytecode });
  const { contractAddress } = await client.waitForTransactionReceipt({ hash });
  const code = await client.getCode({ address: contractAddress as Address });
  await client.setCode({ address: place, bytecode: code as Hex });
};

export type Chain = Awaited<ReturnType<typeof startChain>>;

/** `blockSeconds`: a block each so often; absent: one for each transaction, at once. */
export const startChain = async ({ blockSeconds }: { blockSeconds?: number } = {}) => {
  const port = await freePort();
  const blocks = blockSeconds === undefined ? [] : ['--block-time', String(blockSeconds)];
  const child = spawn(
    anvilBinary(),
    ['--host', '127.0.0.1', '--port', String(port), '--chain-id', '84532', '--silent', ...blocks],
    { stdio: 'ignore' },
  );
  const url = `http://127.0.0.1:${port}`;
  const client = clientOf(url);
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  };
  try {
    await untilItAnswers(client, () => child.exitCode !== null);
    await deployAt(client, usdcAddress, testUsdc);
    await deployAt(client, multicallAddress, multicall);
  } catch (error) {
    await stop();
    throw error;
  }

  const usdc = { address: usdcAddress, abi: usdcAbi } as const;

  /** Key of a wallet with `micro` micro-USD. */
  const newPayerKey = async (micro: bigint): Promise<Hex> => {
    const key = generatePrivateKey();
    const account = privateKeyToAccount(key);
    if (micro > 0n) {
      const hash = await client.writeContract({
        ...usdc,
        functionName: 'mint',
        args: [account.address, micro],
      });
      await client.waitForTransactionReceipt({ hash });
    }
    return key;
  };
  const newPayer = async (micro: bigint) => privateKeyToAccount(await newPayerKey(micro));

  /** A key with ETH for gas, to settle with. */
  const newSigner = async (): Promise<Hex> => {
    const key = generatePrivateKey();
    await client.setBalance({ address: privateKeyToAccount(key).address, value: 10n ** 20n });
    return key;
  };

  const balanceOf = async (address: Address): Promise<bigint> =>
    (await client.readContract({
      ...usdc,
      functionName: 'balanceOf',
      args: [address],
    })) as bigint;

  /** A plain transfer, as any wallet makes it. */
  const transfer = async (key: Hex, to: Address, micro: bigint): Promise<void> => {
    const account = privateKeyToAccount(key);
    await client.setBalance({ address: account.address, value: 10n ** 18n });
    const hash = await client.writeContract({
      ...usdc,
      account,
      functionName: 'transfer',
      args: [to, micro],
    });
    await client.waitForTransactionReceipt({ hash });
  };

  /** The transfers to `address`. */
  const received = async (address: Address): Promise<{ value: bigint; from: Address }[]> => {
    const logs = await client.getContractEvents({
      ...usdc,
      eventName: 'Transfer',
      args: { to: address },
      fromBlock: 0n,
    });
    return logs.map((log) => (log as unknown as { args: { value: bigint; from: Address } }).args);
  };

  return {
    url,
    pid: child.pid,
    client,
    usdc,
    newPayer,
    newPayerKey,
    newSigner,
    transfer,
    balanceOf,
    received,
    stop,
  };
};

/** The typed data that an EIP-3009 payer signs. */
export const authorizationData = (authorization: {
  from: Address;
  to: Address;
  value: bigint;
  nonce: Hex;
  validAfter?: bigint;
  validBefore?: bigint;
}) => ({
  domain: { name: 'USDC', version: '2', chainId: 84532, verifyingContract: usdcAddress },
  types: {
    TransferWithAuthorization: [
      { name: 'from', type: 'address' },
      { name: 'to', type: 'address' },
      { name: 'value', type: 'uint256' },
      { name: 'validAfter', type: 'uint256' },
      { name: 'validBefore', type: 'uint256' },
      { name: 'nonce', type: 'bytes32' },
    ],
  } as const,
  primaryType: 'TransferWithAuthorization' as const,
  message: { validAfter: 0n, validBefore: maxUint256, ...authorization },
});
