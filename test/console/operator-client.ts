/** Somebody who is signed in to the operator's console, without a browser. */
import { expect } from 'chai';
import type { Foundation } from '../../service/foundation/wing.ts';
import { operate } from '../support/operator.ts';
import { consoleAt, cookieIn } from './console-client.ts';

/** The link that `console-link` prints. */
export const linkFor = async (foundation: Foundation, ...options: string[]): Promise<string> =>
  (await operate(foundation, 'console-link', ...options))[0] ?? '';

export const operatorAt = (url: () => string, foundation: () => Foundation) => {
  const pages = consoleAt(url);
  const at = (path: string): string => `/operator${path}`;
  const signInWith = (token: string) => pages.post(at('/sign-in'), { token });

  const signIn = async (...options: string[]) => {
    const answer = await signInWith(await linkFor(foundation(), ...options));
    expect(answer.status, answer.text).to.equal(303);
    const cookie = cookieIn(answer);
    return {
      cookie,
      get: (path: string, headers: Record<string, string> = {}) =>
        pages.get(at(path), { cookie, ...headers }),
      post: (
        path: string,
        form: Record<string, string>,
        headers: Record<string, string | undefined> = {},
      ) => pages.post(at(path), form, { cookie, ...headers }),
    };
  };
  return { pages, at, signInWith, signIn };
};
