/** The UCANs that credentials come from. */
import { ucanSubjectPrefix } from '../../contract/frozen.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { type UcanState, ucanAggregate } from './ucan.ts';

/**
 * The UCANs that are named, their proofs, and those that they end with, each once.
 * @param ids ids of keys, which are passed over, and `ucan:<cid>`
 */
export async function* ucansBehind(
  handler: Pick<CommandHandler, 'load'>,
  ids: readonly string[],
): AsyncGenerator<{ cid: string; state: UcanState }> {
  const cids = new Set(
    ids
      .filter((id) => id.startsWith(ucanSubjectPrefix))
      .map((id) => id.slice(ucanSubjectPrefix.length)),
  );
  // The loop adds further CIDs to the end of the set.
  for (const cid of cids) {
    const { state } = await handler.load(ucanAggregate, cid);
    yield { cid, state };
    const { proofs = [], boundTo } = state.issued ?? {};
    for (const next of [...proofs, ...(boundTo?.ucans ?? [])]) cids.add(next);
  }
}
