import { expect } from 'chai';
import { errorCodes } from '../../contract/errors.ts';
import { operationAt, useService } from '../support/client.ts';

type Facts = {
  code: keyof typeof errorCodes;
  status: number;
  title: string;
  way_out: string;
  type: string;
  operations: { name: string; method: string; path: string }[];
};

describe('the `type` address of a problem document', () => {
  const api = useService();
  const read = (path: string, accept?: string) =>
    fetch(`${api.service().url}${path}`, { headers: accept ? { Accept: accept } : {} });

  it('is answered with what the error means, the way out, and which operations answer it', async () => {
    const refused = await read('/api/letters/none');
    const { type } = (await refused.json()) as Facts;
    const { pathname } = new URL(type);
    const facts = (await (await read(pathname)).json()) as Facts;
    const { status, title } = errorCodes.authentication_required;
    expect(facts).to.include({ code: 'authentication_required', status, title, type });
    expect(facts.way_out).to.contain('Authorization: Bearer');
    const names = facts.operations.map(({ name }) => name);
    expect(names).to.include.members(['get_letter', 'openapi']).and.not.include('health');
  });

  it('leads to a page for people, of every code that there is', async () => {
    const { data } = (await (await read('/errors')).json()) as { data: Facts[] };
    expect(data.map(({ code }) => code)).to.have.members(Object.keys(errorCodes));
    for (const { code, title, way_out, operations } of data) {
      expect(way_out, code).to.match(/\.$/);
      for (const { name, method, path } of operations) {
        expect(operationAt(api.service(), method, path)?.name, path).to.equal(name);
      }
      const page = await read(`/errors/${code}`, 'text/html,*/*;q=0.8');
      expect(page.headers.get('content-type')).to.equal('text/html; charset=utf-8');
      expect(page.headers.get('vary')).to.contain('Accept');
      expect(await page.text()).to.contain(`<h1>${title}</h1>`.replaceAll("'", '&#39;'));
    }
    const list = await read('/errors', 'text/html');
    expect(await list.text()).to.contain('href="errors/letter_deleted"');
  });

  it('of a code that there is not is 404', async () => {
    for (const code of ['nothing', 'constructor', '__proto__', 'NOT_FOUND']) {
      expect((await read(`/errors/${code}`)).status, code).to.equal(404);
    }
  });

  it('is given also by what is refused before it is a request', async () => {
    const { connect } = await import('node:net');
    const { hostname, port } = new URL(api.service().url);
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), hostname, () => socket.end('NO HTTP\r\n\r\n'));
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('close', () => resolve(text));
    });
    const { type } = JSON.parse(answer.split('\r\n\r\n')[1] ?? '') as Facts;
    expect((await read(type)).status).to.equal(200);
  });
});
