/** The address of the webhook on its page after a form of that page was refused. */
import { expect } from 'chai';
import type { Visit } from '../../pages/console/visit.ts';
import { webhooksBody } from '../../pages/console/webhooks/webhooks-page.ts';
import { html, markup } from '../../pages/html.ts';

const address = 'https://hooks.example.com/status';

/** The page after a form with these fields was refused. */
const pageAfter = (fields: Record<string, string>): string => {
  const visit = {
    language: 'en',
    at: (path: string) => path,
    session: { caller: { accountId: 'acct_1' } },
    form: new URLSearchParams(fields),
  } as Visit;
  const settings = { webhook_url: address, notification_email: null, language: 'en' as const };
  const shown = { settings, messages: [], nextCursor: null, audit: [], problem: html`<p>no</p>` };
  return markup(webhooksBody(shown, visit));
};

/** The address that the field shows then. */
const shownAfter = (fields: Record<string, string>): string | undefined =>
  /name="webhook_url" type="url" value="([^"]*)"/.exec(pageAfter(fields))?.[1];

describe('the page of webhooks', () => {
  it('still shows the address when another of its forms was refused', () => {
    expect(shownAfter({ since: '2026-11-01' })).to.equal(address);
  });

  it('shows what was typed when the address was refused', () => {
    const fields = { webhook_url: 'http://typed.example', new_secret: 'true' };
    expect(shownAfter(fields)).to.equal('http://typed.example');
    expect(pageAfter(fields)).to.contain('name="new_secret" value="true" checked');
    expect(shownAfter({ webhook_url: '' })).to.equal('');
  });
});
