import { expect } from 'chai';
import { auditPage } from '../../pages/audit/audit-page.ts';
import { html, markup } from '../../pages/html.ts';
import { auditedEvents, historyOf, identity } from '../support/audit-history.ts';
import { queued } from '../support/letter-samples.ts';

const hostile = `"><script>alert('x')</script>&`;

describe('the audit page', () => {
  it('escapes whatever it is given, in text and in attributes', () => {
    expect(markup(html`<p title="${hostile}">${hostile}</p>`)).to.equal(
      '<p title="&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;">&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;</p>',
    );
    expect(markup(html`<ul>${[html`<li>${1}</li>`, html`<li>${'<'}</li>`]}</ul>`)).to.equal(
      '<ul><li>1</li>\n<li>&lt;</li></ul>',
    );
  });

  it('lets no name of an event, a service or an actor become markup', async () => {
    const [event] = auditedEvents([queued()]);
    if (!event) throw new Error('there is no event');
    const strange = { ...event, name: `letter.${hostile}`, source: hostile, status: hostile };
    const { history, paths } = historyOf([strange]);
    const page = await auditPage({
      history: { ...history, letterId: hostile },
      paths,
      identity: { ...identity, did: hostile, logOrigin: hostile },
      reattestations: [hostile],
      bundleHref: hostile,
      madeAt: '2026-03-02T00:00:00.000Z',
    });
    expect(page).not.to.contain('<script>');
    expect(page).not.to.contain(`"><`.concat('script'));
    expect(page.match(/<script/g)).to.have.length(1);
  });

  it('shows a long history up to a point and says how much more there is', async () => {
    const [event] = auditedEvents([queued()]);
    if (!event) throw new Error('there is no event');
    const many = Array.from({ length: 502 }, (_, index) => ({
      ...event,
      sequence: index + 1,
      credential: undefined,
    }));
    const page = await auditPage({
      history: { letterId: 'x', test: false, complete: false, events: many, checkpoint: undefined },
      paths: new Map(),
      identity,
      reattestations: [],
      bundleHref: 'x/bundle.zip',
      madeAt: '2026-03-02T00:00:00.000Z',
    });
    expect(page.match(/<li>/g)).to.have.length(500);
    expect(page).to.contain('2 more events are in the bundle.');
  });
});
