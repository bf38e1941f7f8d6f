import Mocha from 'mocha';

/** Mocha's spec reporter; its last line is the tally on a line of its own, for people and scripts. */
export default class SpecWithTally extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    runner.once('end', () => {
      const { passes, failures, pending } = this.stats;
      process.stdout.write(`${passes} passed, ${failures} failed, ${pending} skipped\n`);
    });
  }
}
