/**
 * Fingerprints of every schema that was ever served, one a line. As a program: adds the lines of those that
 * are new; never changes one.
 */
import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { messageSchemas } from '../../reactors/publish/message-schemas.ts';

const file = new URL('./served-schemas.txt', import.meta.url);

export const listedSchemas = (): string[] => readFileSync(file, 'utf8').trim().split('\n');

export const currentSchemas = (): string[] =>
  messageSchemas('https://letters.example')
    .map(({ name, schema }) => `${name} ${hash('sha256', JSON.stringify(schema), 'base64url')}`)
    .toSorted();

if (import.meta.main) {
  const listed = listedSchemas();
  const names = new Set(listed.map((line) => line.split(' ')[0]));
  const added = currentSchemas().filter((line) => !names.has(line.split(' ')[0]));
  writeFileSync(file, `${[...listed, ...added].toSorted().join('\n')}\n`);
}
