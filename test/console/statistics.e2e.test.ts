/** The charts of letters and spending per day. */
import { expect } from 'chai';
import { until, useService } from '../support/client.ts';
import { consoleAt } from './console-client.ts';

describe('the charts of letters and spending per day', function () {
  this.timeout(180_000);
  const api = useService();
  const pages = consoleAt(() => api.service().url);
  const bars = /<rect /g;

  it('show a bar for each day with letters, and every day in a table', async () => {
    const client = await api.register();
    const person = await pages.signIn(client.key);
    const empty = await person.get('/statistics');
    expect(empty.status).to.equal(200);
    expect(empty.text.match(bars)).to.equal(null);
    await client.send();
    await until(async () => (await person.get('/statistics')).text.match(bars)?.length === 2);
    const { text } = await person.get('/statistics');
    expect(text).to.contain('Letters accepted in this time: 1.');
    expect(text.match(/<svg [^>]*role="img" aria-labelledby="\w+-title \w+-text"/g)).to.have.length(
      2,
    );
    expect(text.match(/<th scope="row"><time /g)).to.have.length(60);
    expect(text).to.not.contain('<script>').and.to.not.contain(' style=');
    expect((await person.get('/letters')).text).to.contain('href="/console/statistics"');
    const stranger = await pages.signIn((await api.register()).key);
    expect((await stranger.get('/statistics')).text).to.contain('accepted in this time: 0.');
  });

  it('say what is wrong with a range, next to the form that holds it', async () => {
    const person = await pages.signIn((await api.register()).key);
    const refused = await person.get('/statistics?from=2001-01-01&to=2002-01-01');
    expect(refused.status).to.equal(422);
    expect(refused.text).to.contain('Choose at most 92 days.').and.to.contain('value="2001-01-01"');
    expect(refused.text).to.not.contain('<svg');
  });
});
