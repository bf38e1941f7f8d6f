/** The program of `run/background.ts`. JavaScript, as `quick-start.js`. */
import './quick-start.js';

await import('./run/background-process.ts');
