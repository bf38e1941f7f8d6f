/** The program of the operator's command line. */
import '../service/quick-start.js';

const { takeSignals } = await import('./interruption.ts');
const signals = takeSignals();
const { runProgram } = await import('./run.ts');
const { log: print, error } = console;
/** A command that is being ended fails in one way or another. */
const complain = (line: string): void => {
  if (!signals.isEnding()) error(line);
};
const code = await runProgram({ args: process.argv.slice(2), env: process.env, print, complain });
await signals.ended();
process.exit(code);
