/**
 * Payments between a backup and the restore from it: the rails have them, and the restored log knows nothing of their
 * top-ups. They are told apart from payments of other systems by their time.
 */
import { decodeEvent } from '../../events/envelope.ts';
import { asPosition, type Position } from '../../events/position.ts';
import { toTimestamp } from '../../ground/clock.ts';
import { allGenerations } from '../../infra/postgres/log-generations.ts';
import type { SeenLoss } from '../../infra/postgres/seen-losses.ts';
import type { Foundation } from '../../service/foundation/wing.ts';
import type { Print } from '../command.ts';

/** Clocks of rails differ from ours. */
const marginMs = 300_000;

const timeOf = async ({ store }: Foundation['storage'], head: Position): Promise<number> => {
  if (head === 0n) return 0;
  const [last] = await store.readAll({ after: asPosition(head - 1n), limit: 1 });
  return last ? Date.parse(decodeEvent(last).metadata.at) : 0;
};

/** Whether something that was made at a time, in epoch ms, is missing in the log because of a restore. */
export const lostByRestore = async ({
  storage,
}: Pick<Foundation, 'storage'>): Promise<(madeMs: number) => boolean> => {
  const restores = (await allGenerations(storage.readDb)).slice(0, -1);
  const spans = await Promise.all(
    restores.map(async ({ head, began_at: began }) => ({
      from: (await timeOf(storage, asPosition(head))) - marginMs,
      to: began.getTime() + marginMs,
    })),
  );
  return (madeMs) => spans.some(({ from, to }) => from <= madeMs && madeMs <= to);
};

/** A payment that a restore made unknown. `open`: says what it is and what to do; absent: the payer must be asked. */
export type Lost = { id: string; amount: string; open?: string };

/**
 * Prints the lost payments of a rail. Those that an operator has dealt with are named with that operator. Returns how
 * many are open.
 */
export const printLost = (
  lost: readonly Lost[],
  seen: ReadonlyMap<string, SeenLoss>,
  print: Print,
): number => {
  const open = lost.filter(({ id }) => !seen.has(id));
  for (const { id, amount, open: why } of open) {
    const ask = `${amount} was paid, and the restored log does not know for what. Ask the payer, credit the account, then run reconcile --seen ${id} --by NAME`;
    print(`  LOST ${id}: ${why ?? ask}`);
  }
  for (const { id, amount } of lost) {
    const found = seen.get(id);
    if (found)
      print(
        `  seen ${id}: ${amount}, by ${found.seen_by} at ${toTimestamp(found.seen_at.getTime())}`,
      );
  }
  return open.length;
};
