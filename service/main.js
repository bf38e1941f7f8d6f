/**
 * The program. What node makes of the source is kept: a start takes half the time, and less memory. This file is
 * JavaScript because it runs before that: node would load its compiler for it, and keep 20 MB of it for good.
 */
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)));
await import('./run/start.ts');
