import { type Check, fail, ok } from '../../../ground/check.ts';

const timeoutMs = 8_000;

type Answer = { result?: unknown };

const ask = async (url: string, method: string): Promise<number> => {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const { result } = (await answer.json()) as Answer;
  if (typeof result !== 'string') throw new Error(`the node does not answer ${method}`);
  return Number(result);
};

/** A node of a chain: `setting` names its address in the configuration. */
type Node = { name: string; setting: string; url: string | undefined; chainId: number | undefined };

/** Whether a node answers and is of the right chain. */
export const checkChain = ({ name, setting, url, chainId }: Node): Check => ({
  name,
  remedy: `correct ${setting}, or start the node`,
  async run() {
    if (url === undefined) return ok(`not configured (${setting})`);
    const found = await ask(url, 'eth_chainId');
    if (found !== chainId) {
      return fail(
        `the node is of chain ${found}, not of chain ${chainId}`,
        `set ${setting} to a node of chain ${chainId}`,
      );
    }
    return ok(`the node of chain ${found} is at block ${await ask(url, 'eth_blockNumber')}`);
  },
});
