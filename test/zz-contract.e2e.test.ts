import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { useService } from './support/client.ts';
import { type Answers, seen, undocumented } from './support/service.ts';
import { skip } from './support/skip.ts';

/** The answers that processes saw which ran tests before this one. */
const seenByOthers = (): Answers[] => {
  const folder = process.env.TEST_ANSWERS;
  if (!folder) return [];
  return readdirSync(folder).map(
    (name): Answers => JSON.parse(readFileSync(join(folder, name), 'utf8')),
  );
};

/** Runs last, over what all the files before it saw. Alone it has nothing to look at. */
describe('the contract of the HTTP surface', () => {
  const api = useService();
  let answers: Answers[] = [];
  before(function () {
    answers = [...seenByOthers(), { seen: [...seen], undocumented }];
    if (answers.every((one) => one.seen.length === 0)) skip(this, 'no test ran before this one');
  });

  it('was kept by every answer that a test saw', () => {
    expect(answers.flatMap((one) => one.undocumented)).to.deep.equal([]);
  });

  it('was seen in full: every operation answered with each success that it declares', () => {
    const all = new Set(answers.flatMap((one) => one.seen));
    const { operations, protocols } = api.service().service;
    const declared = [
      ...operations,
      ...protocols.map(({ document }) => document as { operationId: string; responses: object }),
    ].flatMap((one) =>
      Object.keys(one.responses)
        .filter((status) => Number(status) < 300)
        .map((status) => `${'name' in one ? one.name : one.operationId} ${status}`),
    );
    expect(declared.filter((answer) => !all.has(answer))).to.deep.equal([]);
  });
});
