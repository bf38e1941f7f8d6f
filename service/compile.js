/** Fills the folder of compiled code for all programs without a start, for an image with a read-only root. */
import { flushCompileCache } from 'node:module';
import './quick-start.js';

await import('./run/compose.ts');
await import('../operator/commands.ts');
// Loaded later, in the processes that need them.
await import('../pages/console/portal.ts');
await import('../pages/console/operator/operator-portal.ts');
await import('../pages/reference/site.ts');
await import('./operating/doctor/examine.ts');
flushCompileCache();
process.exit(0);
