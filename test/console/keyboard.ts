/** A person at a keyboard: the tab key moves the focus, and Enter presses what has it. */
import { expect } from 'chai';
import type { Page } from 'puppeteer-core';
import { createMatcher } from '../../pages/console/match-route.ts';
import { listedIn, type Tasks, tasksOf } from './keyboard-tasks.ts';

const mostTabs = 120;

/** Moves the focus by the tab key alone. */
export const tabTo = async (page: Page, selector: string): Promise<void> => {
  for (let count = 0; count < mostTabs; count++) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
  }
  throw new Error(`no tab leads to ${selector}`);
};

export const typeInto = async (page: Page, name: string, text: string): Promise<void> => {
  await tabTo(page, `[name="${name}"]`);
  await page.keyboard.type(text);
};

/** Types over what the field holds. */
export const fill = async (page: Page, name: string, text: string): Promise<void> => {
  await tabTo(page, `[name="${name}"]`);
  await page.keyboard.down('Control');
  await page.keyboard.press('a');
  await page.keyboard.up('Control');
  await page.keyboard.type(text);
};

type Form = [method: string, address: string];
type Focus = { forms: Form[]; own?: Form; link?: string; outline: string };

/** The forms of the page, and the form or link that has the focus. */
const readFocus = `(() => {
  const shown = (form) => [
    (form.getAttribute('method') ?? 'get').toUpperCase(),
    new URL(form.getAttribute('action') ?? '', location.href).href,
  ];
  const focused = document.activeElement;
  return {
    forms: [...document.forms].map(shown),
    own: focused.form ? shown(focused.form) : undefined,
    link: focused.href,
    outline: getComputedStyle(focused).outlineStyle,
  };
})()`;

/** The fields, buttons and links that the tab key reaches, in its order. */
const readReachable = `[...document.querySelectorAll('a[href], button, input, select, textarea, summary')]
  .filter((element) => element.checkVisibility() && element.type !== 'hidden')
  .map((element) => element.outerHTML)`;

const widths = [320, 1440];

/** The page fits, and the keys lead to the same fields, buttons and links, whatever its width. */
const expectSameAtEveryWidth = async (page: Page): Promise<void> => {
  const before = page.viewport();
  const reachable: unknown[] = [];
  for (const width of widths) {
    await page.setViewport({ width, height: 900 });
    const shown = await page.evaluate('document.documentElement.scrollWidth');
    expect(shown, page.url()).to.be.at.most(width);
    reachable.push(await page.evaluate(readReachable));
  }
  expect(reachable[0], page.url()).to.deep.equal(reachable[1]);
  await page.setViewport(before);
};

/** @param root path below which the tasks are */
export const createKeyboard = (root: string, tasks: Tasks) => {
  const match = createMatcher(listedIn(tasks));
  const done = new Set<string>();
  const unlisted = new Set<string>();

  const pathOf = (address: string): string | undefined => {
    const { pathname } = new URL(address);
    return `${pathname}/`.startsWith(`${root}/`) ? pathname.slice(root.length) : undefined;
  };

  const look = (address: string): void => {
    const path = pathOf(address);
    const found = path === undefined ? undefined : match('GET', path);
    if (found) done.add(found.route.key);
  };

  /** The task of a form. A form without one is remembered. */
  const taskOf = ([method, address]: Form): string | undefined => {
    const path = pathOf(address);
    if (path === undefined) return undefined;
    const found = method === 'POST' ? match('POST', path) : match('GET', `${path}?`);
    if (!found) unlisted.add(`${method} ${path}`);
    return found?.route.key;
  };

  /** Moves the focus to a button or link, where a person sees it. */
  const reach = async (page: Page, selector: string): Promise<void> => {
    await tabTo(page, selector);
    const { forms, own, link, outline } = (await page.evaluate(readFocus)) as Focus;
    expect(outline, `the outline of ${selector}`).to.not.equal('none');
    for (const form of forms) taskOf(form);
    const task = own && taskOf(own);
    if (task !== undefined) done.add(task);
    if (own?.[0] === 'GET') look(own[1]);
    if (link !== undefined) look(link);
  };

  /** Presses a button or link. The page behind it must fit at every width. */
  const press = async (page: Page, selector: string): Promise<void> => {
    await reach(page, selector);
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    look(page.url());
    await expectSameAtEveryWidth(page);
  };

  /** The tasks of a test that it did not do, and the forms that it saw and that have no task. */
  const leftOf = (test: string): string[] => [
    ...tasksOf(tasks, test).filter((key) => !done.has(key)),
    ...[...unlisted].map((form) => `${form} has no task`),
  ];

  return { reach, press, leftOf };
};
