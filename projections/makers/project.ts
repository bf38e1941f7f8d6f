/**
 * Letters, keys, UCANs and volume contracts, by the key or UCAN that made them: the actor of their first event. The
 * letter of an order counts as a draft.
 */
import type { AnyEvent } from '../../events/envelope.ts';
import { isLetterStream, letterIdIn } from '../../events/letter.ts';
import type { Projection } from '../projection.ts';
import { letterMakerTable, type MadeRow, madeTable, makerKeyOf } from './table.ts';

type Counted = 'letters' | 'drafts' | 'keys' | 'ucans' | 'contracts';

const keyActor = 'key:';
const credential = /^(?:key_|ucan:)/;

/** The key or UCAN that caused an event; undefined for wallets without a key, reactors and operators. */
const makerOf = ({ metadata: { actor } }: AnyEvent): string | undefined => {
  const name = actor.startsWith(keyActor) ? actor.slice(keyActor.length) : actor;
  return credential.test(name) ? name : undefined;
};

type Made = { what: Counted; accountId: string; maker: string | undefined };

/** The thing that an event makes; undefined: none that counts. */
const madeBy = (event: AnyEvent): Made | undefined => {
  const maker = makerOf(event);
  switch (event.type) {
    case 'LetterDrafted':
    case 'LetterQueued': {
      if (event.version !== 0n) return undefined;
      const { accountId } = event.data.terms;
      return { what: event.type === 'LetterDrafted' ? 'drafts' : 'letters', accountId, maker };
    }
    case 'KeyCreated':
      // A key that replaces another was not made by it.
      if (event.data.rotatedFrom !== undefined) return undefined;
      return { what: 'keys', accountId: event.data.accountId, maker };
    case 'UcanIssued':
      return { what: 'ucans', accountId: event.data.accountId, maker };
    case 'VolumeContractCreated':
      return { what: 'contracts', accountId: event.data.accountId, maker };
    default:
      return undefined;
  }
};

const nothingMade = (id: string): MadeRow => ({
  id,
  letters: 0n,
  drafts: 0n,
  keys: 0n,
  ucans: 0n,
  contracts: 0n,
});

type MadeAt = Made & { maker: string; event: AnyEvent };

export const makerRows: Projection = {
  name: 'makers',
  version: 2,
  streams: ['letter-', 'account-', 'ucan-', 'volume-contract-'],
  tables: [letterMakerTable, madeTable],
  async project(source, events) {
    const made = events.flatMap((event): MadeAt[] => {
      const { maker, ...rest } = madeBy(event) ?? {};
      return maker === undefined ? [] : [{ ...(rest as Made), maker, event }];
    });
    if (made.length === 0) return [];
    const ids = new Set(made.map(({ accountId, maker }) => `${accountId}/${maker}`));
    const counts = await source.load(madeTable, 'id', [...ids]);
    for (const { what, accountId, maker } of made) {
      const id = `${accountId}/${maker}`;
      const row = counts.get(id) ?? nothingMade(id);
      row[what] += 1n;
      counts.set(id, row);
    }
    const letters = made.flatMap(({ accountId, maker, event }) =>
      isLetterStream(event.stream)
        ? [
            {
              maker: makerKeyOf(accountId, maker),
              created_at: event.metadata.at,
              created_position: event.position,
              letter_id: letterIdIn(event.stream),
            },
          ]
        : [],
    );
    return [...madeTable.save(counts.values()), ...letterMakerTable.add(letters)];
  },
};
