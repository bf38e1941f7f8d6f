/** Exports of accounts, as tests ask for them and read them. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { unzipSync } from 'fflate';
import { PNG } from 'pngjs';
import type { Static } from 'typebox';
import type { Export } from '../../presenters/export.ts';
import { exportStoreOf } from '../../service/wings/export-jobs.ts';
import type { useService } from './client.ts';
import { eventually } from './service-process.ts';

type ExportJson = Static<typeof Export>;
type Api = ReturnType<typeof useService>;
type Client = Awaited<ReturnType<Api['register']>>;
type Files = Record<string, Uint8Array>;

export const logoImage = (() => {
  const png = new PNG({ width: 30, height: 10 });
  png.data.fill(120);
  return PNG.sync.write(png);
})();

export const textIn = (files: Files, name: string): string =>
  Buffer.from(files[name] ?? expect.fail(`${name} is missing`)).toString('utf8');

export const exportsOf = (api: Api) => {
  const begin = (client: Client, body: object = {}, key: string = randomUUID()) =>
    client.post<ExportJson>('/api/exports', body, { 'Idempotency-Key': key });
  const stateOf = async (client: Client, id: string) =>
    (await client.get<ExportJson>(`/api/exports/${id}`)).body;
  const ready = (client: Client, id: string): Promise<ExportJson> =>
    eventually('the archive is ready', async () => {
      const state = await stateOf(client, id);
      expect(state.status).not.to.equal('failed');
      return state.status === 'ready' && state;
    });
  return {
    begin,
    stateOf,
    ready,
    made: async (client: Client, body: object = {}): Promise<ExportJson> =>
      ready(client, (await begin(client, body)).body.export_id),
    async download(client: Client, id: string, part = 1): Promise<Files> {
      const response = await fetch(`${api.service().url}/api/exports/${id}?part=${part}`, {
        headers: { Authorization: `Bearer ${client.key}`, Accept: 'application/zip' },
      });
      expect(response.status).to.equal(200);
      expect(response.headers.get('content-type')).to.equal('application/zip');
      return unzipSync(new Uint8Array(await response.arrayBuffer()));
    },
    /** The first part in the blob store. */
    async blobOf(id: string): Promise<string> {
      const row = await exportStoreOf(api.service().service.foundation).find(id);
      return `export-${id}-${row?.run}-part-1`;
    },
    async uploadLogo(client: Client): Promise<string> {
      const logo = await client.post<{ logo_id: string }>('/api/logos', {
        logo: `data:image/png;base64,${logoImage.toString('base64')}`,
      });
      expect(logo.status, logo.text).to.be.within(200, 201);
      return logo.body.logo_id;
    },
  };
};
