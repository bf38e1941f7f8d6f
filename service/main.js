/**
 * The program. This file is JavaScript because it runs before `useCompiled`: node would load its compiler for it, and
 * keep 20 MB of it for good.
 */
import { useCompiled } from './compiled.js';

useCompiled();
await import('./run/start.ts');
