import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import type Mocha from 'mocha';
import SpecWithTally from '../reporter.ts';
import { takeInjected } from '../support/injected.ts';
import type { Row } from './rows.ts';

const append = (row: Row): void =>
  appendFileSync(process.env.FAULT_ROWS ?? '/dev/null', `${JSON.stringify(row)}\n`);

const rowOf = (one: Mocha.Runnable, result: Row['result']): Row => ({
  file: relative(process.cwd(), one.file ?? ''),
  about: one.parent?.titlePath().join(': ') ?? '',
  checked: one.title,
  injected: takeInjected(),
  result,
  seconds: (one.duration ?? 0) / 1_000,
});

const results = { passed: 'passed', failed: 'FAILED', pending: 'skipped' } as const;

/** The spec reporter; it also appends a row for each test to the file that FAULT_ROWS names. */
export default class FaultReporter extends SpecWithTally {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    // Injections by hooks before a test do not count for the test.
    runner.on('test', () => void takeInjected());
    runner.on('test end', (test) => append(rowOf(test, results[test.state ?? 'pending'])));
    // A hook that fails ends its tests before they run.
    runner.on('fail', (failed: Mocha.Runnable & { type?: string }) => {
      if (failed.type === 'hook') append(rowOf(failed, 'FAILED'));
    });
  }
}
