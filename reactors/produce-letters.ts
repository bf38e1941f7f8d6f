import { createHash, randomUUID } from 'node:crypto';
import type { CommandContext } from '../commands/fold.ts';
import type { CommandHandler } from '../commands/handle.ts';
import {
  type ExistingLetter,
  letterAggregate,
  type ReportProgress,
  reportProgress,
  startProduction,
} from '../commands/letter.ts';
import { magicNames } from '../commands/prepare-letter.ts';
import { type Clock, toTimestamp } from '../contract/clock.ts';
import { isAppError } from '../contract/errors.ts';
import type { LetterPersonal } from '../events/letter.ts';
import { countries } from '../postal/countries.ts';
import type { CountryCode } from '../postal/types.ts';
import type { PrintPartner } from './print-partner.ts';
import type { Reactor } from './reactor.ts';

export type ProductionPorts = {
  handler: CommandHandler;
  clock: Clock;
  /** Prints live letters. */
  partner: PrintPartner;
  /** Takes test letters; prints nothing. */
  simulator: PrintPartner;
  /**
   * Sets a letter as it will be printed. The number of pages is what was priced, or it throws.
   * @throws AppError below 500 when it never will be printed; whatever else may pass
   */
  render(letter: {
    letterId: string;
    terms: ExistingLetter['terms'];
    personal: LetterPersonal;
    /** When production started. */
    at: string;
  }): Promise<Buffer>;
};

const context = (): CommandContext => ({
  commandId: randomUUID(),
  actor: 'reactor:produce-letters',
});

/** The simulator's reports about a test letter with a magic recipient. */
const simulatedReports = (name: string): ReportProgress[] => {
  const source = 'simulator' as const;
  const type = 'ReportProgress' as const;
  switch (magicNames[name.toLowerCase()]) {
    case 'print_failure': {
      const detail = 'The simulator was asked to fail.';
      return [
        {
          type,
          source,
          step: 'failed',
          code: 'print_failure',
          stage: 'print',
          retryable: false,
          detail,
        },
      ];
    }
    case 'returned':
      return [
        { type, source, step: 'in_transit' },
        { type, source, step: 'returned', reason: 'returned_to_sender' },
      ];
    case 'undeliverable':
      return [
        { type, source, step: 'in_transit' },
        { type, source, step: 'returned', reason: 'undeliverable_as_addressed' },
      ];
    default:
      return [];
  }
};

/** A letter that was accepted but cannot be made any more fails, and is paid back. */
const notPrintable = (message: string, source: ReportProgress['source']): ReportProgress => ({
  type: 'ReportProgress',
  source,
  step: 'failed',
  code: 'not_printable',
  stage: 'render',
  retryable: false,
  detail: message.slice(0, 300),
});

/** Takes due letters into production. Whether one may go is decided by its own stream. */
export const releaseLetters = async (
  ports: ProductionPorts,
  due: { letterId: string; test: boolean }[],
): Promise<void> => {
  await Promise.all(
    due.map(({ letterId, test }) => {
      const partner = test ? ports.simulator.name : ports.partner.name;
      const source = test ? ('simulator' as const) : ('partner' as const);
      const command = { type: 'StartProduction' as const, partner, jobId: letterId, source };
      const now = toTimestamp(ports.clock());
      return ports.handler.handle(letterAggregate, letterId, context(), (letter) =>
        letter.status === 'queued' && (letter.releaseAt ?? '') <= now
          ? startProduction(letter, command)
          : [],
      );
    }),
  );
};

/** Renders a letter in production and hands it to the print partner, by job id. */
export const submitLetter = async (
  ports: ProductionPorts,
  letterId: string,
  at: string,
): Promise<void> => {
  const { state } = await ports.handler.load(letterAggregate, letterId);
  if (state.status !== 'processing' || !state.personal) return;
  const { terms, personal } = state;
  const pdf = await ports.render({ letterId, terms, personal, at }).catch((error: unknown) => {
    if (!isAppError(error) || error.status >= 500) throw error;
    return error;
  });
  if (isAppError(pdf)) {
    const failed = notPrintable(pdf.message, terms.test ? 'simulator' : 'partner');
    await ports.handler.handle(letterAggregate, letterId, context(), (letter) =>
      reportProgress(letter, failed),
    );
    return;
  }
  const partner = terms.test ? ports.simulator : ports.partner;
  await partner.submit({
    pdf,
    ticket: {
      job_id: letterId,
      letter_id: letterId,
      test: terms.test,
      service: terms.service,
      country: terms.country,
      pages: terms.pages,
      sheets: terms.sheets,
      color: terms.color,
      duplex: terms.duplex,
      page_format: countries[terms.country as CountryCode].pageFormat,
      envelope: terms.envelope,
      created_at: at,
      pdf_sha256: createHash('sha256').update(pdf).digest('hex'),
    },
  });
  if (!terms.test) return;
  for (const report of simulatedReports(personal.to.name)) {
    await ports.handler.handle(letterAggregate, letterId, context(), (letter) =>
      reportProgress(letter, report),
    );
  }
};

/** Hands every letter that entered production to its print partner. */
export const createProduceLetters = (ports: ProductionPorts): Reactor => ({
  name: 'produce-letters',
  react(event) {
    if (event.type !== 'LetterProcessingStarted') return undefined;
    return () => submitLetter(ports, event.stream.slice('letter-'.length), event.metadata.at);
  },
});
