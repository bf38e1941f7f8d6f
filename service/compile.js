/** Fills the folder of compiled code for `main.js` without a start, for an image with a read-only root. */
import { flushCompileCache } from 'node:module';
import { useCompiled } from './compiled.js';

useCompiled();
await import('./run/compose.ts');
flushCompileCache();
process.exit(0);
