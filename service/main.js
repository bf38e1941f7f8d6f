/** The program of the service. It is JavaScript for the reason that `quick-start.js` gives. */
import './quick-start.js';

await import('./run/start.ts');
