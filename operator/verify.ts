import { numberOf } from '../ground/plural.ts';
import { dollars } from '../money/amounts.ts';
import { type Command, count, type Print, pace, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';
import { recorded } from './recorded.ts';
import { credentialPortsOf } from './verify/credential-ports.ts';
import { walkLog } from './verify/walk.ts';

type Walk = Awaited<ReturnType<typeof walkLog>>;

const moneyLine = (name: string, sums: Walk['live']): string =>
  `${name}: ${numberOf(sums.wallets, 'wallet')}, credited ${dollars(sums.credited)} = available ${dollars(sums.available)} + held ${dollars(sums.held)} + spent ${dollars(sums.spent)}`;

const summarize = (walk: Walk, elapsedMs: number, print: Print): void => {
  const { personal, letters, credentials, contracts } = walk;
  print(`log: ${pace(walk.events, elapsedMs)}, ${count(walk.streams)} streams, head ${walk.head}`);
  print(
    `personal parts: ${count(personal.opened)} opened, ${count(personal.erased)} without a key (erased)`,
  );
  print(moneyLine('live money', walk.live));
  print(moneyLine('test money', walk.test));
  print(
    `letters: ${count(letters.letters)}${letters.open > 0 ? `; for ${count(letters.open)} the wallet still has to follow` : ''}`,
  );
  print(
    `volume contracts: ${count(contracts.contracts)}, ${numberOf(contracts.units, 'letter')} counted for them`,
  );
  print(
    `credentials: ${count(credentials.checked)}${credentials.waiting > 0 ? `; ${count(credentials.waiting)} events still have none` : ''}`,
  );
  for (const [name, position] of [
    ['wallet', walk.walletsAt],
    ['ledger', walk.ledgerAt],
    ['contract', walk.contractsAt],
  ]) {
    const said = position === undefined ? 'not made yet' : `compared at position ${position}`;
    print(`${name} read model: ${said}`);
  }
};

const printFindings = ({ findings }: Walk, print: Print): void => {
  const [first, ...rest] = findings.list();
  if (!first) {
    print('OK: everything holds.');
    return;
  }
  print(
    `WRONG: ${count(findings.total)} ${findings.total === 1 ? 'finding' : 'findings'}, the first at position ${first.position}.`,
  );
  for (const { position, detail } of [first, ...rest]) print(`  position ${position}: ${detail}`);
  if (findings.total > rest.length + 1) {
    print(`  and ${count(findings.total - rest.length - 1)} more`);
  }
};

/** @throws UsageError */
export const verify = (positionals: string[]): Command => {
  if (positionals.length > 0) throw new UsageError('verify takes no arguments');
  return async (foundation, print) => {
    const { store, readDb: db } = foundation.storage;
    const { dataKeys } = foundation.keys;
    return await recorded({ db, clock: foundation.clock, command: 'verify' }, async () => {
      const startMs = performance.now();
      const issued = credentialPortsOf(foundation);
      const walk = await walkLog({ store, dataKeys, db, issued });
      summarize(walk, performance.now() - startMs, print);
      printFindings(walk, print);
      return {
        succeeded: walk.findings.total === 0,
        detail: `${numberOf(walk.findings.total, 'finding')} up to position ${walk.head}`,
      };
    });
  };
};

export const verifyCommand = defineCommand({
  name: 'verify',
  usage: '',
  summary: 'Checks the whole log and names the first wrong position.',
  help: 'Checks positions, versions, hash links, schemas, money, letters against reservations, wallet rows against the events, and credentials and their log against what issuing would produce.',
  read: verify,
});
