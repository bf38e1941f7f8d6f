import type { AnyEvent } from '../../events/envelope.ts';
import { letterIdIn, letterStream } from '../../events/letter.ts';
import { volumeContractPrefix } from '../../events/volume-contract.ts';
import type { Projection } from '../projection.ts';
import { foldEvent, isCounted } from './fold.ts';
import { contractTable, unitTable } from './table.ts';

/** The account whose contracts an event may change, where it tells. */
const accountIn = (event: AnyEvent): string[] => {
  if (event.type === 'LetterQueued') return [event.data.terms.accountId];
  return event.stream.startsWith(volumeContractPrefix)
    ? [event.stream.slice(volumeContractPrefix.length)]
    : [];
};

const distinct = (values: string[]): string[] => [...new Set(values)];

export const contracts: Projection = {
  name: 'contracts',
  version: 4,
  streams: [letterStream(''), volumeContractPrefix],
  tables: [contractTable, unitTable],
  async project(source, events) {
    const own = events.filter(
      (event) => isCounted(event) || event.stream.startsWith(volumeContractPrefix),
    );
    if (own.length === 0) return [];
    // Of a letter that was accepted in this batch nothing can be stored yet.
    const accepted = new Set(
      own.filter(({ type }) => type === 'LetterQueued').map(({ stream }) => stream),
    );
    const changed = own.filter(({ type, stream }) => !accepted.has(stream) && type.startsWith('L'));
    const units = await source.load(
      unitTable,
      'letter_id',
      distinct(changed.map(({ stream }) => letterIdIn(stream))),
    );
    const rows = await source.load(contractTable, 'account_id', distinct(own.flatMap(accountIn)));
    const others = [...units.values()].flatMap(({ contract_id, late_contract_id: late }) =>
      late === null ? [contract_id] : [contract_id, late],
    );
    const more = await source.load(
      contractTable,
      'contract_id',
      distinct(others).filter((id) => !rows.has(id)),
    );
    const known = { contracts: new Map([...rows, ...more]), units };
    for (const event of own) foldEvent(known, event);
    const { position: first = 0n } = own[0] ?? {};
    const written = [...known.contracts.values()].filter((row) => row.changed_position >= first);
    return [...contractTable.save(written), ...unitTable.save(known.units.values())];
  },
};
