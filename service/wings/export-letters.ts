/** The files about a letter in an export. The events of a long history continue in the next part. */
import { setTimeout as pause } from 'node:timers/promises';
import { letterAggregate } from '../../commands/letters/letter.ts';
import { isAppError } from '../../contract/errors.ts';
import type { Caller } from '../../contract/operation.ts';
import { letterStream } from '../../events/letter.ts';
import { createBackoff } from '../../ground/backoff.ts';
import { presentLetter } from '../../presenters/letter.ts';
import { linesOf } from '../../reactors/export-events.ts';
import type { Export, LetterWriter, Part } from '../../reactors/make-export.ts';
import { createAuditBundles } from '../../read-api/audit.ts';
import { createOwnLetters } from '../../read-api/own-letters.ts';
import type { Foundation, Site } from '../foundation/wing.ts';
import { eventPortsOf, json } from './export-account.ts';
import { auditPortsOf } from './identity-operations.ts';
import { expectedReleaseOf } from './letters.ts';

type Publishing = Foundation & Pick<Site, 'baseUrl'>;

/** The number of tries for a document before the part fails. */
const mostTries = 8;

/** Tries again while the service is busy. Undefined if the document cannot be made. */
const whenFree = async (work: () => Promise<Buffer | undefined>): Promise<Buffer | undefined> => {
  const backoff = createBackoff({ firstMs: 500, mostMs: 30_000 });
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!isAppError(error)) throw error;
      const isBusy = error.status === 429 || error.status === 503;
      if (!isBusy) return undefined;
      if (tries === mostTries) throw error;
      await pause(backoff.nextMs());
    }
  }
};

/** The lines of a letter's events from a version on, until the part is full. `stopped` gets the next version. */
const eventsFrom = async function* (
  foundation: Publishing,
  letterId: string,
  from: string,
  { isFull, stopped }: { isFull: () => boolean; stopped: (version: string) => void },
): AsyncGenerator<string> {
  const events = linesOf(eventPortsOf(foundation), letterStream(letterId), BigInt(from || 0));
  for await (const { lines, next, isPage } of events) {
    yield lines;
    if (isPage && isFull()) return stopped(String(next));
  }
};

/** `sent`: the blob of a PDF as its sender gave it, to which the commitment of the letter is. */
type Rendering = { letterId: string; of: Export; sent: string | undefined };

type Add = Awaited<ReturnType<Part['piece']>>['add'];

/** Adds the files that come after the events of a letter. */
const writingDocuments = (foundation: Publishing) => {
  const { shared, commands } = foundation;
  const bundleOf = createAuditBundles(auditPortsOf(foundation, foundation.baseUrl));
  const own = createOwnLetters({
    ...shared.letterReader,
    expectedRelease: expectedReleaseOf(foundation),
  });
  return async (add: Add, { letterId, of, sent }: Rendering, caller?: Caller) => {
    if (caller) {
      const pdf = await whenFree(async () =>
        shared.documentTools.render((await own.printedLetter(letterId, caller, '')).letter),
      );
      if (pdf) await add('letter.pdf', pdf, { stored: true });
      const original =
        sent === undefined ? undefined : await whenFree(() => commands.files.get(letterId, sent));
      if (original) await add('original.pdf', original, { stored: true });
    }
    // A history that is too long for a bundle has none.
    const bundle = await whenFree(async () => {
      const read = await shared.auditReader.readAudit(letterId);
      return read && bundleOf(read.history, { account: of.accountId });
    });
    if (bundle) await add('audit.zip', bundle, { stored: true });
  };
};

/** Writes the files about a letter into the archive of an export. */
export const writingLetters = (foundation: Publishing): LetterWriter => {
  const { letterById, openWhole } = foundation.shared.letterReader;
  const addDocuments = writingDocuments(foundation);
  const isDeleted = async (letterId: string): Promise<boolean> => {
    const { state } = await foundation.commands.handler.load(letterAggregate, letterId);
    return state.status === 'none' || state.deleted;
  };
  return async ({ piece }, letterId, of, { from, isFull }) => {
    const record = await letterById(letterId);
    if (!record || record.doc.deleted) return undefined;
    const own = await piece(letterStream(letterId));
    // The read model may not know yet that it was deleted.
    if (!own.isSealed && (await isDeleted(letterId))) return undefined;
    const personal = await openWhole(record);
    const shown = presentLetter(record, personal, { content: true });
    const { createdAt, terms } = record.doc;
    const folder = `letters/${createdAt.slice(0, 10)}-${letterId}`;
    const files: string[] = [];
    const add: Add = (file, content, how) => {
      files.push(file);
      return own.add(`${folder}/${file}`, content, how);
    };
    if (from === '') {
      await add('letter.json', json(shown));
      const text = personal?.content;
      if (text !== undefined && terms.kind !== 'pdf') {
        // A stranger may have written the page: under this name no browser runs it.
        await add(terms.kind === 'html' ? 'letter.html.txt' : 'letter.txt', text);
      }
    }
    let rest: string | undefined;
    const stopped = (version: string): void => {
      rest = version;
    };
    await add('events.ndjson', eventsFrom(foundation, letterId, from, { isFull, stopped }));
    if (rest === undefined) {
      const { accountId, documents } = of;
      const caller: Caller = { accountId, keyId: 'export', scope: 'read', test: terms.test };
      const isPrinted = documents && personal !== undefined;
      const sent =
        terms.kind === 'pdf' ? (personal?.originalBlob ?? personal?.contentBlob) : undefined;
      await addDocuments(add, { letterId, of, sent }, isPrinted ? caller : undefined);
    }
    own.describe({
      letterId,
      folder,
      createdAt,
      files,
      status: record.status,
      service: terms.service,
      recipient: personal?.to.name,
      price: `${shown.price.total.toFixed(2)} USD`,
      continues: rest !== undefined,
    });
    return { rest };
  };
};
