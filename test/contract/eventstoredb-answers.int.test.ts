import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { startEventStoreDbServer } from '../support/eventstoredb-server.ts';
import { recordAnswers } from './eventstoredb-answers/series.ts';

/** Calls that the stand-in answers otherwise on purpose, each with the reason; five at most. */
const leftOut: Record<string, string> = {};

const recorded = (version: string): { name: string; answer: unknown }[] =>
  JSON.parse(
    readFileSync(`${import.meta.dirname}/eventstoredb-answers/answers-${version}.json`, 'utf8'),
  );

describe('EventStoreDB stand-in server, beside real servers', function () {
  this.timeout(60_000);

  for (const version of ['23.10.8', '24.10.14'] as const) {
    it(`answers 91 calls as ${version} did`, async () => {
      // Slow enough to commit that two appends made at once meet.
      const server = await startEventStoreDbServer({ version, commitMs: 25, commitTimeoutMs: 100 });
      try {
        const answers = await recordAnswers(`127.0.0.1:${server.port}`, { quietMs: 200 });
        const known = recorded(version);
        expect(known).to.have.length(91);
        expect([...answers.keys()]).to.deep.equal(known.map(({ name }) => name));
        expect(Object.keys(leftOut).length).to.be.at.most(5);
        for (const { name, answer } of known) {
          if (name in leftOut) expect(answers.get(name), name).not.to.deep.equal(answer);
          else expect(answers.get(name), name).to.deep.equal(answer);
        }
      } finally {
        await server.close();
      }
    });
  }
});
