/** The address of the webhook on its page after a form of that page was refused. */
import { expect } from 'chai';
import type { Visit } from '../../pages/console/visit.ts';
import { webhooksBody } from '../../pages/console/webhooks/webhooks-page.ts';
import { html, markup } from '../../pages/html.ts';

const address = 'https://hooks.example.com/status';

/** The address that the field shows after a form with these fields was refused. */
const shownAfter = (fields: Record<string, string>): string | undefined => {
  const visit = {
    language: 'en',
    at: (path: string) => path,
    session: { caller: { accountId: 'acct_1' } },
    form: new URLSearchParams(fields),
  } as Visit;
  const settings = { webhook_url: address, notification_email: null, language: 'en' as const };
  const shown = { settings, messages: [], nextCursor: null, audit: [], problem: html`<p>no</p>` };
  return /name="webhook_url" type="url" value="([^"]*)"/.exec(
    markup(webhooksBody(shown, visit)),
  )?.[1];
};

describe('the page of webhooks', () => {
  it('still shows the address when another of its forms was refused', () => {
    expect(shownAfter({ since: '2026-11-01' })).to.equal(address);
  });

  it('shows what was typed when the address was refused', () => {
    expect(shownAfter({ webhook_url: 'http://typed.example' })).to.equal('http://typed.example');
    expect(shownAfter({ webhook_url: '' })).to.equal('');
  });
});
