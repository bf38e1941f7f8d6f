import { readFileSync } from 'node:fs';

const file = new URL('./quickstart.mjs', import.meta.url);

/** Lines of a program that pays for a letter with a stock client, for this service and network. */
export const x402Quickstart = (
  baseUrl: string,
  network: { network: string; nameV1: string },
): string[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .replace('BASE_URL', baseUrl)
    .replace('NETWORK_NAME', network.nameV1)
    .replace('NETWORK', network.network)
    .split('\n');
