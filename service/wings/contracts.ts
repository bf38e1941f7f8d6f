/** Volume contracts, put together: a part of the wing of negotiation. */
import { accountAggregate } from '../../commands/accounts/account.ts';
import { contractDids, createMakeContract } from '../../commands/negotiation/make-contract.ts';
import { contractOf, volumeContractAggregate } from '../../commands/negotiation/volume-contract.ts';
import type { AnyOperation } from '../../contract/operation.ts';
import { createBatchLoader } from '../../ground/batch-loader.ts';
import type { Clock } from '../../ground/clock.ts';
import { statementSigner } from '../../infra/identity/published-identity.ts';
import { createContractReader } from '../../infra/readers/contract-reader.ts';
import { microOfCents } from '../../money/amounts.ts';
import { contractsDue } from '../../projections/contracts/query.ts';
import { areAnyOverdue, printedLettersSince } from '../../projections/letters/query.ts';
import { createClosePeriods } from '../../reactors/negotiation/close-periods.ts';
import { createForgottenCharge } from '../../reactors/negotiation/forgotten-charge.ts';
import { contractReadOperations } from '../../read-api/negotiation/contracts.ts';
import { advanceContractOperation } from '../../write-api/negotiation/advance-contract.ts';
import { contractOperation, recordOfNew } from '../../write-api/negotiation/contracts.ts';
import type { Chore } from '../foundation/chores.ts';
import type { Foundation, Site } from '../foundation/wing.ts';
import { keepLimitsOf } from './policies.ts';

const makeContractOf = ({ clock, keys, commands, discounts, storage, shared }: Foundation) => {
  const { handler } = commands;
  const { serviceKeys } = keys;
  const { callerDids } = shared;
  const walletDid = async (accountId: string): Promise<string | undefined> => {
    const { state } = await handler.load(accountAggregate, accountId);
    return state.status === 'open' && state.kind === 'wallet' ? state.name : undefined;
  };
  return createMakeContract({
    handler,
    clock,
    made: discounts.made,
    didOf: contractDids({ callerDids, walletDid }),
    signer: () => statementSigner(serviceKeys),
    serviceDid: () => serviceKeys.identity().did,
    printedSince: (accountId, since) => printedLettersSince(storage.readDb, accountId, since),
  });
};

export const contractWriteOperations = (site: Site): AnyOperation[] => [
  contractOperation({
    makeContract: makeContractOf(site),
    clock: site.clock,
    keepLimits: keepLimitsOf(site),
  }),
  advanceContractOperation({ handler: site.commands.handler, ended: site.discounts.ended }),
];

export const contractReadOperationsOf = (site: Site): AnyOperation[] => {
  const { clock, config, storage, keys, commands } = site;
  return contractReadOperations({
    db: storage.readDb,
    clock,
    limits: config.limits,
    open: createContractReader({ dataKeys: keys.dataKeys }),
    async newContract(accountId, contractId) {
      const { state, version } = await commands.handler.load(volumeContractAggregate, accountId);
      const made = contractOf(state, contractId);
      // How many letters count in a period that ended is known to the read model only.
      if (!made || made.periods.some(({ ended }) => ended)) return undefined;
      return { record: recordOfNew(made), personal: made, version };
    },
  });
};

export const closingPeriods = ({ commands, config, storage }: Foundation, clock: Clock): Chore => ({
  what: 'closing periods of volume contracts',
  everyMs: 1_000,
  work: createClosePeriods({
    handler: commands.handler,
    clock,
    lowMicro: microOfCents(config.limits.walletLowCents),
    contractsDue: (...page) => contractsDue(storage.readDb, ...page),
    isAnyOverdue: createBatchLoader({
      load: (asked: { accountId: string; until: string }[]) => areAnyOverdue(storage.readDb, asked),
      maxBatch: 200,
    }),
    forgottenCharge: createForgottenCharge(storage.store),
  }),
});
