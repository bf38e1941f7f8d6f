import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import type Mocha from 'mocha';
import SpecWithTally from '../reporter.ts';
import { takeInjected } from '../support/injected.ts';
import type { Row } from './rows.ts';

const results = { passed: 'passed', failed: 'FAILED', pending: 'skipped' } as const;

/** The spec reporter; it also appends a row for each test to the file that FAULT_ROWS names. */
export default class FaultReporter extends SpecWithTally {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    // What hooks do before is not injected by the test.
    runner.on('test', () => void takeInjected());
    runner.on('test end', (test) => {
      const row: Row = {
        file: relative(process.cwd(), test.file ?? ''),
        about: test.parent?.titlePath().join(': ') ?? '',
        checked: test.title,
        injected: takeInjected(),
        result: results[test.state ?? 'pending'],
        seconds: (test.duration ?? 0) / 1_000,
      };
      appendFileSync(process.env.FAULT_ROWS ?? '/dev/null', `${JSON.stringify(row)}\n`);
    });
  }
}
