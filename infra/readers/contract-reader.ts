import type { DataKeys } from '../../events/data-keys.ts';
import { open } from '../../events/sealing.ts';
import { volumeContractStream } from '../../events/volume-contract.ts';
import type { ContractView } from '../../presenters/contract.ts';
import type { ContractRecord } from '../../projections/contracts/query.ts';

/** Opens the personal parts of contracts, in their order; undefined once the key was erased. */
export const createContractReader =
  ({ dataKeys }: { dataKeys: Pick<DataKeys, 'getMany'> }) =>
  async (records: ContractRecord[]): Promise<ContractView['personal'][]> => {
    const streams = records.map(({ accountId }) => volumeContractStream(accountId));
    const keys = await dataKeys.getMany([...new Set(streams)]);
    return records.map(({ sealed, doc }, n) => {
      const key = keys.get(streams[n] ?? '');
      if (!key || sealed === undefined) return undefined;
      return JSON.parse(open(sealed, key, doc.sealedFor).toString('utf8'));
    });
  };
