/** The program of the background process. It is JavaScript for the reason that `quick-start.js` gives. */
import './quick-start.js';

await import('./run/background-process.ts');
