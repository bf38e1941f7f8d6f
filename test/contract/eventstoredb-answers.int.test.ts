import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { serverVersions } from '../support/eventstoredb-read.ts';
import { startEventStoreDbServer } from '../support/eventstoredb-server.ts';
import { recordAnswers } from './eventstoredb-answers/series.ts';

/** Calls that the stand-in answers otherwise on purpose, each with the reason; five at most. */
const leftOut: Record<string, string> = {};

const recorded = (version: string): { name: string; answer: unknown }[] =>
  JSON.parse(
    readFileSync(`${import.meta.dirname}/eventstoredb-answers/answers-${version}.json`, 'utf8'),
  );

/** Version 26 answers a wrong position by the bytes of its disk, which the stand-in does not have. */
const comparable = (answer: unknown): unknown =>
  JSON.parse(
    JSON.stringify(answer).replaceAll(/(ReadAllResult: InvalidPosition >> )[^"]+"/g, '$1…"'),
  );

describe('EventStoreDB stand-in server, beside real servers', function () {
  this.timeout(180_000);

  for (const version of serverVersions) {
    it(`answers 91 calls as ${version} did`, async () => {
      // Slow enough to commit that two appends made at once meet.
      const server = await startEventStoreDbServer({
        version,
        commitMs: 25,
        commitTimeoutMs: 100,
        // The recorded server of that version wrote its own events at other moments of the series.
        appendsPerStatsEvent: version === '26.0.3' ? 30 : 20,
      });
      try {
        const answers = await recordAnswers(`127.0.0.1:${server.port}`, { quietMs: 200 });
        const known = recorded(version);
        expect(known).to.have.length(91);
        expect([...answers.keys()]).to.deep.equal(known.map(({ name }) => name));
        expect(Object.keys(leftOut).length).to.be.at.most(5);
        for (const { name, answer } of known) {
          const [given, wanted] = [comparable(answers.get(name)), comparable(answer)];
          if (name in leftOut) expect(given, name).not.to.deep.equal(wanted);
          else expect(given, name).to.deep.equal(wanted);
        }
      } finally {
        await server.close();
      }
    });
  }
});
