/** Exports of an account: their state, and the archive once it is ready. */

import { AppError } from '../contract/errors.ts';
import { type AnyOperation, operation } from '../contract/operation.ts';
import { Type } from '../ground/type.ts';
import { Export, presentExport } from '../presenters/export.ts';
import { zipType } from './audit.ts';

type Row = Parameters<typeof presentExport>[0] & { accountId: string };

type ExportReadPorts<R extends Row> = {
  find(exportId: string): Promise<R | undefined>;
  readPart(row: R, part: number): Promise<Buffer | undefined>;
};

const notFound = (detail: string): AppError => new AppError('export_not_found', detail);

export const exportReadOperation = <R extends Row>(ports: ExportReadPorts<R>): AnyOperation => {
  /** @throws AppError export_not_ready, export_not_found */
  const partOf = async (row: R, part: number): Promise<Buffer> => {
    const parts = row.partBytes.length;
    if (row.state !== 'ready') {
      throw new AppError(
        'export_not_ready',
        row.state === 'failed'
          ? 'The export failed. Ask for another one: POST /api/exports.'
          : 'The archive is still being made. Ask again when `status` is ready.',
        row.state === 'failed' ? {} : { headers: { 'Retry-After': '5' } },
      );
    }
    const bytes = part <= parts ? await ports.readPart(row, part) : undefined;
    if (bytes) return bytes;
    throw notFound(`The archive has ${parts === 1 ? 'one part' : `${parts} parts`}.`);
  };

  return operation({
    name: 'get_export',
    method: 'GET',
    path: '/api/exports/{id}',
    tag: 'Account',
    summary: 'See the state of an export, and get its archive',
    description:
      '`Accept: application/zip` returns the archive once `status` is ready. `part` names the part of an archive that has several; each is a zip of its own.',
    access: 'full',
    permit: { about: 'account' },
    readsOwnWrites: false,
    input: {
      params: Type.Object({ id: Type.String({ format: 'uuid' }) }),
      query: Type.Exact({
        part: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 })),
      }),
    },
    responses: {
      200: {
        description: 'The state, or the archive',
        schema: Export,
        produces: ['application/json', zipType],
      },
    },
    errors: ['export_not_found', 'export_not_ready'],
    async handle({ params, query, caller, accept }) {
      const row = await ports.find(params.id);
      if (row?.accountId !== caller.accountId) {
        throw notFound('Your account has no export with this id, or it was removed.');
      }
      if (accept !== zipType) return { body: presentExport(row) };
      const part = query.part ?? 1;
      const suffix = row.partBytes.length > 1 ? `-part-${part}` : '';
      return {
        body: await partOf(row, part),
        headers: {
          'Content-Disposition': `attachment; filename="export-${row.exportId}${suffix}.zip"`,
        },
      };
    },
  });
};
