/** Fills the folder of compiled code for all programs without a start, for an image with a read-only root. */
import { flushCompileCache } from 'node:module';
import './quick-start.js';

await import('./run/compose.ts');
await import('../operator/commands.ts');
flushCompileCache();
process.exit(0);
