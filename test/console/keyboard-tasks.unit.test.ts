/** Every form, page and file of the console has a task that a test does by keyboard. */
import { existsSync } from 'node:fs';
import { expect } from 'chai';
import { operatorPortal, operatorRoutes } from '../../pages/console/operator/operator-portal.ts';
import { routes } from '../../pages/console/routes.ts';
import { listedIn, operatorTasks, ownerTasks } from './keyboard-tasks.ts';
import { baseUrl, portalWith } from './portal-with.ts';

const owner = portalWith();
// The list of its forms needs none of the ports.
const operator = operatorPortal({ baseUrl } as Parameters<typeof operatorPortal>[0]);

/** The only link before the sign-in that leads to a task. */
const provider = { method: 'GET', path: '/sign-in/provider' } as const;

/** Pictures are parts of pages. */
const pathsIn = (list: readonly { method: string; path: string }[]): string[] =>
  list
    .filter(({ method, path }) => method === 'GET' && !path.endsWith('.png'))
    .map(({ path }) => path);

describe('a task of the console', () => {
  for (const [who, { forms }, list, tasks] of [
    ['owners', owner, routes, ownerTasks],
    ['operators', operator, [provider, ...operatorRoutes], operatorTasks],
  ] as const) {
    const listed = listedIn(tasks);

    it(`is done by keyboard for every form of ${who}`, () => {
      const posts = listed.filter(({ method }) => method === 'POST').map(({ path }) => path);
      expect(posts.sort()).to.deep.equal([...forms].sort());
    });

    it(`is done by keyboard for every page and file of ${who}`, () => {
      const gets = listed.filter(({ method, path }) => method === 'GET' && !path.endsWith('?'));
      expect(gets.map(({ path }) => path).sort()).to.deep.equal(pathsIn(list).sort());
    });

    it(`has a test that is there, for ${who}`, () => {
      for (const [key, [task, test]] of Object.entries(tasks)) {
        expect(existsSync(new URL(test, import.meta.url)), `${key}: ${task}`).to.equal(true);
      }
    });
  }
});
