/** The program. JavaScript, as `quick-start.js`. */
import './quick-start.js';

await import('./run/start.ts');
