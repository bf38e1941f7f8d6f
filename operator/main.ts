/** The program of the operator's command line. */
import '../service/quick-start.js';

await import('./run.ts');
