/** The networks on which USDC can be taken, as x402 and its older clients name them. */

export type Network = {
  /** CAIP-2. */
  network: `eip155:${number}`;
  chainId: number;
  /** Its name in x402 version 1. */
  nameV1: string;
  /** Where its money is worth nothing. */
  testnet: boolean;
  asset: `0x${string}`;
  /** EIP-712 domain of the asset: a wrong name fails every settlement. */
  assetName: string;
  assetVersion: string;
};

/** Sources: Circle's contract addresses; `defaultAssets` of @x402/evm. */
const known: readonly Network[] = [
  {
    network: 'eip155:8453',
    chainId: 8_453,
    nameV1: 'base',
    testnet: false,
    asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    assetName: 'USD Coin',
    assetVersion: '2',
  },
  {
    network: 'eip155:84532',
    chainId: 84_532,
    nameV1: 'base-sepolia',
    testnet: true,
    asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
    assetName: 'USDC',
    assetVersion: '2',
  },
];

export const networkNames = known.map(({ nameV1 }) => nameV1);

/** By either name; undefined for one that is not known. */
export const networkOf = (name: string): Network | undefined =>
  known.find(({ network, nameV1 }) => name === network || name === nameV1);
