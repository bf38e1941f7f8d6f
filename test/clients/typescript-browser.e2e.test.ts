import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { startBrowser } from '../support/browser.ts';
import { letterTo, useService } from '../support/client.ts';
import { installedClient } from './installed.ts';

/** The files of the package, as any web server gives them. */
const serve = async (folder: string): Promise<Server> => {
  const server = createServer(({ url = '/' }, response) => {
    if (url === '/') {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>');
      return;
    }
    response.writeHead(200, { 'content-type': 'text/javascript' });
    createReadStream(join(folder, url)).pipe(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
};

describe('the TypeScript library in a browser', function () {
  this.timeout(180_000);
  const api = useService();

  it('calls a service of another origin, as it is packed', async () => {
    const { folder } = await installedClient();
    const server = await serve(join(folder, 'node_modules/letters-client'));
    const browser = await startBrowser();
    try {
      const { key } = await api.register();
      const { page, complaints } = await browser.open();
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      const program = `
        const { createClient, execute } = await import('/dist/index.js');
        const { verifyCredential } = await import('/dist/webhooks.js');
        const options = ${JSON.stringify({ apiKey: key, baseUrl: api.service().url })};
        const letters = createClient(options);
        const sent = await letters.send_letter({ body: ${JSON.stringify(letterTo('DE'))} });
        const { data } = await letters.call('get_letter', { path: { id: sent.letter_id } });
        const issuer = await letters.service_did();
        const forged = await verifyCredential('a.b.c', { issuer }).catch(({ code }) => code);
        const wrong = await execute('track_letter', { letter_id: 'none' }, options);
        return { status: data.status, forged, error: wrong.error.status };`;
      const done = await page.evaluate(`(async () => {${program}})()`);
      expect(done).to.deep.equal({ status: 'queued', forged: 'credential_invalid', error: 404 });
      expect(complaints.filter((text) => !text.includes('404'))).to.deep.equal([]);
    } finally {
      await browser.stop();
      server.closeAllConnections();
      server.close();
    }
  });
});
