/** The form of the settings after it was refused. */
import { expect } from 'chai';
import { settingsBody } from '../../pages/console/settings/settings-page.ts';
import type { Visit } from '../../pages/console/visit.ts';
import { html, markup } from '../../pages/html.ts';

describe('the page of settings', () => {
  it('shows what was typed and chosen when the form was refused', () => {
    const visit = {
      language: 'en',
      at: (path: string) => path,
      session: { caller: { accountId: 'acct_1', keyId: 'key_1', scope: 'full', test: true } },
      form: new URLSearchParams({ notification_email: 'anna@', language: 'fr' }),
    } as Visit;
    const settings = { webhook_url: null, notification_email: null, language: 'de' as const };
    const page = markup(settingsBody(settings, visit, { notice: html`<p>no</p>` }));
    expect(page).to.contain('value="anna@"').and.contain('<option value="fr" selected>');
    expect(page).to.contain('name="shown_language" value="de"');
  });
});
