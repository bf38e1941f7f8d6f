/** The program of the operator's command line. */
import '../service/quick-start.js';

const { runProgram } = await import('./run.ts');
const { log: print, error: complain } = console;
process.exit(await runProgram({ args: process.argv.slice(2), env: process.env, print, complain }));
