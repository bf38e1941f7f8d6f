/** A marketplace of mechs on a chain of the tests, and those who make requests on it. */
import { readFileSync } from 'node:fs';
import { type Address, decodeEventLog, encodeFunctionData, type Hex, keccak256, toHex } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import type { Chain } from './chain.ts';

type Contract = { abi: readonly unknown[]; bytecode: Hex };
/** Compiled from mech-marketplace.sol. */
const { mechMarketplace, contractWallet } = JSON.parse(
  readFileSync(new URL('./mech-contracts.json', import.meta.url), 'utf8'),
) as { mechMarketplace: Contract; contractWallet: Contract };

export const mechAddress: Address = '0x77af31de935740567cf4ff1986d04b2c964a786a';
const nativePayment = keccak256(toHex('FixedPriceNative'));

const sendPrice = 20_000_000_000_000_000n;

type Wish = { rate?: bigint; mech?: Address; paymentType?: Hex; timeout?: bigint };

export const deployMarketplace = async ({ client }: Pick<Chain, 'client'>) => {
  const deploy = async ({ abi, bytecode }: Contract, args: unknown[] = []): Promise<Address> => {
    const hash = await client.deployContract({ abi, bytecode, args });
    const { contractAddress } = await client.waitForTransactionReceipt({ hash });
    return contractAddress as Address;
  };
  const address = await deploy(mechMarketplace);
  const { abi } = mechMarketplace;

  const newRequester = async (): Promise<PrivateKeyAccount> => {
    const account = privateKeyToAccount(generatePrivateKey());
    await client.setBalance({ address: account.address, value: 10n ** 20n });
    return account;
  };

  const requestData = ({ rate, mech, paymentType, timeout }: Wish): Hex =>
    encodeFunctionData({
      abi,
      functionName: 'request',
      args: [
        '0x1234',
        rate ?? sendPrice,
        paymentType ?? nativePayment,
        mech ?? mechAddress,
        timeout ?? 3_600n,
      ],
    });

  const idIn = async (hash: Hex): Promise<Hex> => {
    const { logs } = await client.waitForTransactionReceipt({ hash });
    const [log] = logs;
    if (!log) throw new Error('the marketplace logged no request');
    const { args } = decodeEventLog({ abi, ...log }) as unknown as { args: { requestId: Hex } };
    return args.requestId;
  };

  return {
    address,
    newRequester,

    /** The id of a request that an account made. */
    async request(account: PrivateKeyAccount, wish: Wish = {}): Promise<Hex> {
      return idIn(await client.sendTransaction({ account, to: address, data: requestData(wish) }));
    },

    /** A contract that makes requests for its owner. */
    async newWallet(owner: PrivateKeyAccount): Promise<{ request(wish?: Wish): Promise<Hex> }> {
      const wallet = await deploy(contractWallet, [owner.address]);
      return {
        async request(wish = {}) {
          const hash = await client.writeContract({
            address: wallet,
            abi: contractWallet.abi,
            account: owner,
            functionName: 'call',
            args: [address, requestData(wish)],
          });
          return idIn(hash);
        },
      };
    },

    async deliver(requestId: Hex): Promise<void> {
      const hash = await client.writeContract({
        address,
        abi,
        functionName: 'deliver',
        args: [requestId],
      });
      await client.waitForTransactionReceipt({ hash });
    },
  };
};
