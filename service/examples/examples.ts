import { readFileSync } from 'node:fs';
import type { RecordedExamples } from '../../http/openapi-examples.ts';

/** Recorded by test/support/openapi-examples.ts. */
export const examples: RecordedExamples = JSON.parse(
  readFileSync(new URL('./examples.json', import.meta.url), 'utf8'),
);
