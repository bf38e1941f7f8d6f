import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventVersions } from '../../events/registry.ts';
import { schemaFiles } from '../../infra/schema/migrate.ts';
import { messageType } from '../../reactors/publish/cloud-event.ts';
import { root } from './guides.ts';

/** The section of the changelog about the upgrade from 0.2.0. */
const notes = (): string => {
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const text = changelog.split('\n### Upgrading from 0.2.0\n')[1]?.split('\n## ')[0];
  if (text === undefined) throw new Error('CHANGELOG.md has no section Upgrading from 0.2.0');
  return text;
};

/** The versions in which 0.2.0 wrote its events. */
const written: Record<string, number> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'events-of-0.2.0.json'), 'utf8'),
);

describe('the notes about the upgrade from 0.2.0', () => {
  it('name the schema of each Kafka message that has a new version', () => {
    const changed = Object.entries(written)
      .filter(([type, version]) => eventVersions[type] !== version)
      .map(([type]) => messageType(type, eventVersions[type] ?? 0));
    expect(changed).to.not.be.empty;
    const text = notes();
    expect(changed.filter((name) => !text.includes(`\`${name}\``))).to.deep.equal([]);
  });

  it('name the last change of the tables', () => {
    expect(notes()).to.match(new RegExp(`\\b${schemaFiles().at(-1)?.number} \\(`));
  });
});
