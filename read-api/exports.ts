/** Exports of an account: their state, and the archive once it is ready. */

import { AppError } from '../contract/errors.ts';
import { type AnyOperation, operation } from '../contract/operation.ts';
import { Type } from '../ground/type.ts';
import { Export, presentExport } from '../presenters/export.ts';
import { zipType } from './audit.ts';

type Row = Parameters<typeof presentExport>[0] & { accountId: string };

type ExportReadPorts<R extends Row> = {
  find(exportId: string): Promise<R | undefined>;
  /** The latest first. */
  listOf(accountId: string): Promise<R[]>;
  readPart(row: R, part: number): Promise<Buffer | undefined>;
};

const notFound = (detail: string): AppError => new AppError('export_not_found', detail);

const common = {
  tag: 'Account',
  access: 'full' as const,
  permit: { about: 'account' as const },
  readsOwnWrites: false,
};

const listOperation = <R extends Row>({ listOf }: ExportReadPorts<R>): AnyOperation =>
  operation({
    ...common,
    name: 'list_exports',
    method: 'GET',
    path: '/api/exports',
    summary: 'List exports',
    description:
      'Exports that are being made, that failed, or whose archive can be fetched. Newest first. A new archive replaces the one before, so there are only a few.',
    input: {},
    responses: {
      200: { description: 'Exports', schema: Type.Named('Exports', { data: Type.Array(Export) }) },
    },
    errors: [],
    async handle({ caller }) {
      return { body: { data: (await listOf(caller.accountId)).map(presentExport) } };
    },
  });

const getOperation = <R extends Row>(ports: ExportReadPorts<R>): AnyOperation => {
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
    ...common,
    name: 'get_export',
    method: 'GET',
    path: '/api/exports/{id}',
    summary: 'See the state of an export, and get its archive',
    description:
      '`Accept: application/zip` returns the archive once `status` is ready. `part` names the part of an archive that has several; each is a zip of its own.',
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

export const exportReadOperations = <R extends Row>(ports: ExportReadPorts<R>): AnyOperation[] => [
  listOperation(ports),
  getOperation(ports),
];
