import { AppError } from '../contract/errors.ts';
import { type AnyOperation, type Caller, operation } from '../contract/operation.ts';
import { letterNotFound } from '../contract/refusals.ts';
import { type Clock, toTimestamp } from '../ground/clock.ts';
import { Type } from '../ground/type.ts';
import {
  type BundleFiles,
  bundleFiles,
  type StatementSigner,
  signStatement,
} from '../identity/audit-bundle.ts';
import type { AuditedEvent, AuditHistory, PublishedIdentity } from '../identity/audit-history.ts';
import type { CheckpointNote } from '../identity/credential-log.ts';
import { reattest } from '../identity/reattestation.ts';
import { type CallerRef, callerRefOf } from '../limits/turn.ts';
import { Audit, presentAudit } from '../presenters/audit.ts';
import { LetterId, Timestamp } from '../presenters/common.ts';
import { type LetterPersonal, presentLetter } from '../presenters/letter.ts';
import type { LetterRecord } from '../projections/letters/query.ts';

type Until = { sequence: number } | { time: string };

export type AuditPorts = {
  letterById: (letterId: string) => Promise<LetterRecord | undefined>;
  /** @throws AppError audit_too_long */
  readAudit: (
    letterId: string,
    options?: { until?: Until; patienceMs?: number },
  ) => Promise<{ history: AuditHistory; record: LetterRecord | undefined } | undefined>;
  pathsOf: (
    events: AuditedEvent[],
    checkpoint: CheckpointNote | undefined,
  ) => Promise<Map<number, Buffer[]>>;
  /** One letter with its text or HTML; undefined once it was erased. */
  openWhole: (record: LetterRecord) => Promise<LetterPersonal | undefined>;
  identity: () => PublishedIdentity;
  signer: () => StatementSigner;
  /** Text of verify-audit.mjs. */
  verifier: string;
  /** The zip of a bundle. @throws AppError overloaded, rate_limited */
  pack: (files: BundleFiles, by: CallerRef) => Promise<Buffer>;
  /** Whether the token of a link opens the page of this letter now. */
  opens: (token: string, letterId: string) => Promise<boolean>;
  clock: Clock;
  /** How long a reader waits for the credentials of what happened just now. */
  patienceMs: number;
};

export const zipType = 'application/zip';
const pageEvents = 1_000;

const Params = Type.Object({ letter_id: LetterId });

/** `12` is a number of events, anything else an instant. */
const untilOf = (asOf: string): Until =>
  /^\d+$/.test(asOf) ? { sequence: Number(asOf) } : { time: toTimestamp(Date.parse(asOf)) };

/** A bundle holds the whole history: nothing says so as well as a refusal. @throws AppError validation_failed */
const assertWhole = (query: { as_of?: unknown; after?: unknown; limit?: unknown }): void => {
  const names = (['as_of', 'after', 'limit'] as const).filter((name) => query[name] !== undefined);
  if (names.length === 0) return;
  const errors = names.map((name) => ({
    pointer: `/query/${name}`,
    code: 'not_allowed',
    detail: `${name} works with JSON only: a bundle contains the whole history.`,
  }));
  throw new AppError('validation_failed', errors[0]?.detail ?? '', { errors });
};

export const zipHeaders = (letterId: string): Record<string, string> => ({
  'Content-Disposition': `attachment; filename="audit-${letterId}.zip"`,
});

export const createAuditBundles =
  (ports: AuditPorts) =>
  async (history: AuditHistory, by: CallerRef): Promise<Buffer> => {
    const [identity, signer] = [ports.identity(), ports.signer()];
    const files = await bundleFiles({
      history,
      paths: await ports.pathsOf(history.events, history.checkpoint),
      identity,
      statement: signStatement(history, signer),
      reattestations: await reattest(history, identity.keys, signer),
      verifier: ports.verifier,
    });
    return ports.pack(files, by);
  };

export const auditOperations = (ports: AuditPorts): AnyOperation[] => {
  const bundleOf = createAuditBundles(ports);

  /** @throws AppError letter_not_found, also for another account's letter */
  const ownLetter = async (letterId: string, caller: Caller): Promise<LetterRecord> => {
    const record = await ports.letterById(letterId);
    if (record?.accountId !== caller.accountId) throw letterNotFound();
    return record;
  };

  const readOwn = async (letterId: string, caller: Caller, until: Until | undefined) => {
    const { test } = (await ownLetter(letterId, caller)).doc.terms;
    const audit = await ports.readAudit(letterId, {
      patienceMs: ports.patienceMs,
      until,
    });
    if (!audit) throw letterNotFound();
    // A history that ends before the first event does not say whether it is that of a test letter.
    return { ...audit, history: { ...audit.history, test } };
  };

  const letterThen = async (record: LetterRecord | undefined) =>
    record ? presentLetter(record, await ports.openWhole(record), { content: true }) : null;

  const getAudit = operation({
    name: 'get_audit',
    method: 'GET',
    path: '/api/identity/audit/{letter_id}',
    tag: 'Audit',
    summary: 'The signed history of a letter',
    description:
      'Each event comes with its credential and its position in the log. `Accept: application/zip` returns a bundle that can be verified offline. `as_of` returns the history up to that time, and the letter as it was then.',
    access: 'auth',
    permit: { about: 'letter-in-path', honours: ['letter_id'] },
    payable: true,
    input: {
      params: Params,
      query: Type.Exact({
        as_of: Type.Optional(
          Type.Union([
            Type.String({ pattern: '^[1-9]\\d{0,8}$', description: 'A number of events.' }),
            Timestamp,
          ]),
        ),
        after: Type.Optional(
          Type.Integer({
            minimum: 0,
            description: 'Return the events after this sequence number.',
          }),
        ),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: pageEvents })),
      }),
    },
    responses: {
      200: {
        description: 'The history',
        schema: Audit,
        produces: ['application/json', zipType],
      },
    },
    errors: ['letter_not_found', 'audit_too_long'],
    async handle({ params, query, caller, accept, address }) {
      const letterId = params.letter_id;
      const { as_of: asOf, after = 0, limit = pageEvents } = query;
      if (accept === zipType) {
        assertWhole(query);
        const { history } = await readOwn(letterId, caller, undefined);
        const body = await bundleOf(history, callerRefOf(caller, address));
        return { body, headers: zipHeaders(letterId) };
      }
      const until = asOf === undefined ? undefined : untilOf(asOf);
      const { history, record } = await readOwn(letterId, caller, until);
      const shown = history.events.filter((event) => event.sequence > after).slice(0, limit);
      const paths = await ports.pathsOf(shown, history.checkpoint);
      const then = asOf === undefined ? undefined : { at: asOf, letter: await letterThen(record) };
      return { body: presentAudit(history, shown, paths, then) };
    },
  });

  return [getAudit];
};
