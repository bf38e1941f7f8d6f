import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'chai';
import { decodeEvent, openPersonal } from '../../events/envelope.ts';
import { asPosition } from '../../events/position.ts';
import { definitions, UnknownEventType } from '../../events/registry.ts';
import { eventMessage, type Message, messageType } from '../../reactors/publish/cloud-event.ts';
import { messageName, messageSchemas } from '../../reactors/publish/message-schemas.ts';
import { type Judgement, publicData, publicPart } from '../../reactors/publish/public-data.ts';
import { type Golden, goldenKey, goldenPath } from '../golden-events/golden.ts';
import { currentSchemas, listedSchemas } from './served-schemas.ts';

const baseUrl = 'https://letters.example';
const logId = 'b8f7c1de-0d6e-4b6b-9a3f-5f1d7c2e9a10';
const schemas = messageSchemas(baseUrl);

const golden = (type: string) => {
  const path = goldenPath(type, definitions[type]?.version ?? 0);
  const stored: Golden = JSON.parse(readFileSync(path, 'utf8'));
  return decodeEvent({ ...stored, stream: 'letter-1', version: 4n, position: asPosition(17n) });
};

/** Paths of what a schema, or a judgement, has: `terms.price.charge`, items of arrays like members. */
const pathsOf = (schema: object): string[] => {
  const { items, properties } = schema as { items?: object; properties?: Record<string, object> };
  if (items) return pathsOf(items);
  return Object.entries(properties ?? {}).flatMap(([member, one]) => {
    const inner = pathsOf(one);
    return inner.length === 0 ? [member] : inner.map((path) => `${member}.${path}`);
  });
};
const judgedPaths = (judged: Judgement): string[] =>
  typeof judged === 'boolean'
    ? []
    : Object.entries(judged).flatMap(([member, one]) => {
        const inner = judgedPaths(one);
        return inner.length === 0 ? [member] : inner.map((path) => `${member}.${path}`);
      });

/** Every text and number in a value, however deep. */
const leavesOf = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [value];

const ajv = formats.default(new Ajv2020({ strict: false }));
for (const { schema } of schemas) ajv.addSchema(schema);
const assertValid = ({ value }: Message): void => {
  const message = JSON.parse(value);
  for (const [url, part] of [
    [`${baseUrl}/schemas/${messageName}`, message],
    [message.dataschema, message.data],
  ]) {
    expect(ajv.validate(url, part), `${url}: ${ajv.errorsText()}`).to.equal(true);
  }
};

describe('what is published', () => {
  it('is judged for every member of every event type, and for nothing else', () => {
    expect(Object.keys(publicData)).to.have.members(Object.keys(definitions));
    for (const [type, { data }] of Object.entries(definitions)) {
      const judged: Judgement = publicData[type as keyof typeof publicData];
      expect(judgedPaths(judged), type).to.have.members(pathsOf(data));
    }
  });

  it('leaves out what was not judged', () => {
    const judged = { a: true, b: false, list: { c: true } };
    const value = { a: 1, b: 2, new: 3, list: [{ c: 4, new: 5 }] };
    expect(publicPart(value, judged)).to.deep.equal({ a: 1, list: [{ c: 4 }] });
  });

  it('has no hash of something personal, no text of people, nothing that is sealed', () => {
    const withheld =
      /hash|prefix|blob|location|tracking|detail|issuer|audience|creditid|personal|sealed/i;
    for (const type of Object.keys(definitions)) {
      const event = golden(type);
      const opened = openPersonal(event, goldenKey).personal ?? {};
      const { value } = eventMessage(event, baseUrl, logId);
      const { data } = JSON.parse(value);
      expect(pathsOf({ properties: data }).join() + JSON.stringify(data), type).not.to.match(
        withheld,
      );
      const secrets = leavesOf(opened).filter(
        (one) => typeof one === 'string' && one.length > 2 && one !== event.metadata.at,
      );
      for (const secret of secrets) expect(value, type).not.to.include(secret);
    }
  });

  it('is a CloudEvent that its schemas allow, for every event type', () => {
    for (const type of Object.keys(definitions))
      assertValid(eventMessage(golden(type), baseUrl, logId));
  });

  it('names event, stream and place, and has the same bytes each time', () => {
    const event = golden('LetterPosted');
    const message = eventMessage(event, baseUrl, logId);
    expect(message.key).to.equal('letter-1');
    expect(JSON.parse(message.value)).to.deep.equal({
      specversion: '1.0',
      id: event.id,
      source: baseUrl,
      type: 'letters.letter_posted.v1',
      subject: 'letter-1',
      time: event.metadata.at,
      datacontenttype: 'application/json',
      dataschema: 'https://letters.example/schemas/letters.letter_posted.v1',
      partitionkey: 'letter-1',
      sequence: '0000000005',
      position: '17',
      logid: logId,
      data: { source: 'partner', inferred: true },
    });
    expect(eventMessage(golden('LetterPosted'), baseUrl, logId)).to.deep.equal(message);
  });

  it('does not pass over a type that is not known', () => {
    const event = { ...golden('LetterPosted'), type: 'LetterTeleported' };
    expect(() => eventMessage(event, baseUrl, logId)).to.throw(UnknownEventType);
  });
});

describe('the schemas of what is published', () => {
  it('have a name for each event type and its version', () => {
    const names = Object.entries(definitions).map(([type, { version }]) =>
      messageType(type, version),
    );
    expect(schemas.map(({ name }) => name)).to.include.members(names);
    expect(new Set(schemas.map(({ name }) => name)).size).to.equal(schemas.length);
  });

  it('never change and never go once they were served', () => {
    const how =
      'A schema that is listed stays as it was: a change needs a new version of its event, and the old ' +
      'schema is still served. For a new one: node test/publish/served-schemas.ts';
    expect(currentSchemas(), how).to.deep.equal(listedSchemas());
  });
});
