import { hash, randomUUID } from 'node:crypto';
import type { CommandContext } from '../commands/handling/fold.ts';
import { answerRecall, type ExistingLetter, earliestHandOver } from '../commands/letters/letter.ts';
import {
  acceptJob,
  type ReportProgress,
  reportProgress,
} from '../commands/letters/letter-production.ts';
import type { LettersAtHand } from '../commands/letters/letters-at-hand.ts';
import { simulatedStep } from '../commands/letters/simulated-step.ts';
import { magicNames } from '../commands/preparation/prepare-letter.ts';
import { AppError, isAppError } from '../contract/errors.ts';
import {
  isLetterStream,
  type LetterEvent,
  type LetterPersonal,
  letterIdIn,
} from '../events/letter.ts';
import { type Clock, toTimestamp } from '../ground/clock.ts';
import { TaskFailure } from '../limits/worker-pool.ts';
import { countries } from '../postal/countries.ts';
import type { CountryCode } from '../postal/types.ts';
import { createInProduction } from './in-production.ts';
import {
  HeldAfterRestore,
  handOver,
  isWith,
  JobRefused,
  mayBeWith,
  type PrintJob,
  type PrintPartner,
  type RecallAnswer,
  type RestoredJobs,
} from './print-partner.ts';
import { createPrintQueue } from './print-queue.ts';
import type { Reactor, Task } from './reactor.ts';
import type { InProduction, WaitsFor } from './release-due-letters.ts';
import { createRenderTries } from './render-tries.ts';

type ProductionPorts = {
  letters: LettersAtHand;
  /** Told what the print house said of each job. */
  counted?: (result: 'accepted' | 'refused') => void;
  /** All that letters can have been handed to; which one it was is in the letter's stream. */
  partners: readonly PrintPartner[];
  /** Prints live letters that are released now. */
  partner: Pick<PrintPartner, 'name' | 'house'>;
  restored: RestoredJobs;
  clock: Clock;
  /**
   * Sets a letter as it will be printed. Throws if the number of pages is not the priced one.
   * @throws AppError below 500 when it can never be printed; TaskFailure when it exceeds its time or memory, of which
   * some tries are made; other errors may pass
   */
  render(letter: {
    letterId: string;
    terms: ExistingLetter['terms'];
    personal: LetterPersonal;
    /** When it is handed over. */
    at: string;
  }): Promise<Buffer>;
};

/**
 * Resolves if this process still makes the letters; asked right before each call of a partner. @throws otherwise
 */
type AssertOwner = () => Promise<void>;

/**
 * Everything that may be released before it is handed over (see `release-due-letters.ts`): letters that move
 * on together share statements and appends.
 */
const mostInHand = 160;

const context = (): CommandContext => ({
  commandId: randomUUID(),
  actor: 'reactor:produce-letters',
});

const type = 'ReportProgress' as const;

/** The simulator's reports about a test letter with a magic recipient. */
const simulatedReports = (name: string, service: string, letterId: string): ReportProgress[] => {
  const way = (['posted', 'in_transit'] as const).map((to) => simulatedStep(to, service, letterId));
  const source = 'simulator' as const;
  const detail = 'The simulator was asked to fail.';
  const code = 'print_failure';
  switch (magicNames[name.toLowerCase()]) {
    case 'print_failure':
      return [{ type, source, step: 'failed', code, stage: 'print', retryable: false, detail }];
    case 'returned':
      return [...way, { type, source, step: 'returned', reason: 'returned_to_sender' }];
    case 'undeliverable':
      return [...way, { type, source, step: 'returned', reason: 'undeliverable_as_addressed' }];
    default:
      return [];
  }
};

/** A letter that was accepted but cannot be made any more fails, and is paid back. */
const failureOf = (error: unknown, source: ReportProgress['source']): ReportProgress => {
  const failed = { type, source, step: 'failed' as const, retryable: false };
  if (error instanceof JobRefused) {
    const detail = 'The print house refused the letter.';
    return { ...failed, code: error.reason, stage: 'submit', detail };
  }
  if (!isAppError(error) || error.status >= 500) throw error;
  return { ...failed, code: 'not_printable', stage: 'render', detail: error.message.slice(0, 300) };
};

/** The partner gave the job back: on request, or because nobody will print the letter. */
export const takenBack = (letter: ExistingLetter, test: boolean): LetterEvent[] =>
  letter.recall === 'none'
    ? reportProgress(letter, failureOf(new JobRefused('recalled'), test ? 'simulator' : 'partner'))
    : answerRecall(letter, { type: 'AnswerRecall', accepted: true, reason: '' });

const ticketOf = (letterId: string, terms: ExistingLetter['terms'], at: string, pdf: Buffer) => ({
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
  pdf_sha256: hash('sha256', pdf, 'hex'),
});

const tooMuch = (): AppError =>
  new AppError('content_not_printable', 'The letter takes too much time or memory to render.');

/** @throws AppError as `render`, and after the last try of a letter that is too much */
const createRendering = ({ render }: Pick<ProductionPorts, 'render'>): typeof render => {
  const tries = createRenderTries();
  return async (letter) => {
    const { letterId, terms } = letter;
    const tried = { letterId, kind: terms.kind ?? 'text' };
    try {
      const pdf = await render(letter);
      tries.rendered(tried);
      return pdf;
    } catch (error) {
      const exceeds = error instanceof TaskFailure && error.kind !== 'failed';
      throw exceeds && tries.exceeded(tried) ? tooMuch() : error;
    }
  };
};

const createDoubts =
  ({ restored }: Pick<ProductionPorts, 'restored'>) =>
  (letterId: string, letter: ExistingLetter, partner: PrintPartner) =>
    letter.terms.test ? 'none' : restored.doubtOf(letterId, earliestHandOver(letter), partner);

const partnerMissing = ({ partner, house = '' }: ExistingLetter): Error =>
  new Error(
    `The letter is with the print partner ${`${partner} ${house}`.trimEnd()}, which is no longer configured.`,
  );

/**
 * Partners that may have a letter that the operator ended. One that the operator prints may have been handed over before
 * the data was restored.
 */
const toDropAt = async (
  { partners, restored }: Pick<ProductionPorts, 'partners' | 'restored'>,
  letterId: string,
  letter: ExistingLetter,
): Promise<PrintPartner[]> => {
  if (letter.partner === 'operator') return partners.filter(({ name }) => name !== 'simulator');
  const found: PrintPartner[] = [];
  for (const one of partners) if (await mayBeWith(one, letterId, letter, restored)) found.push(one);
  return found;
};

const isAny = (_: PrintPartner): boolean => true;

/** A letter was ended or moved on by hand while it was rendered, or while it waited for its partner. */
class LeftProduction extends Error {}

/** A print house that failed to print a letter may find its ticket there again. */
const isFolder = ({ remembersJobs }: PrintPartner): boolean => !remembersJobs;

/** Letters in production: hands them to their print partner, and asks for them back. */
export const createProduction = (ports: ProductionPorts) => {
  const { letters } = ports;
  const queue = createPrintQueue();
  const renderWithTries = createRendering(ports);

  const record = (letterId: string, decide: (letter: ExistingLetter) => LetterEvent[]) =>
    letters.handle(letterId, context(), (letter) =>
      letter.status === 'none' ? [] : decide(letter),
    );

  /** A letter that is still in production, and its partner, which may have another print house now. */
  const inProduction = async (letterId: string) => {
    const state = await letters.load(letterId);
    if (state.status !== 'processing') return undefined;
    const partner = ports.partners.find(({ name }) => name === state.partner);
    return { letter: state, partner };
  };

  const doubtAbout = createDoubts(ports);

  /** `house`: given only if that print house certainly took the job. */
  const accept = async (letterId: string, partner: PrintPartner, house?: string): Promise<void> => {
    const datedAt = await partner.datedAt(letterId);
    const job = { partner: partner.name, house, jobId: letterId, datedAt };
    await record(letterId, (current) => acceptJob(current, { type: 'AcceptJob', ...job }));
  };

  type Job = Pick<ExistingLetter, 'terms'> & {
    personal: LetterPersonal;
    partner: PrintPartner;
    at: string;
  };

  /** @throws LeftProduction */
  const assertInProduction = async (letterId: string): Promise<void> => {
    if (!(await inProduction(letterId))) throw new LeftProduction();
  };

  /** Renders a letter, hands it over and records the outcome. */
  const make = async (letterId: string, job: Job, assertOwner: AssertOwner): Promise<void> => {
    const { terms, personal, partner, at } = job;
    const inTurn = queue.inTurn(partner, async () => {
      await assertOwner();
      await assertInProduction(letterId);
    });
    try {
      const now = await queue.pass((render) =>
        handOver(inTurn, letterId, async (): Promise<PrintJob> => {
          const datedAt = toTimestamp(ports.clock());
          const letter = { letterId, terms, personal, at: datedAt };
          const pdf = await render(() => renderWithTries(letter));
          return { pdf, ticket: ticketOf(letterId, terms, at, pdf), datedAt };
        }),
      );
      if (now === 'recalled') {
        await record(letterId, (current) => takenBack(current, terms.test));
        return;
      }
    } catch (error) {
      const failed = failureOf(error, terms.test ? 'simulator' : 'partner');
      if (error instanceof JobRefused) ports.counted?.('refused');
      await record(letterId, (current) => reportProgress(current, failed));
      return;
    }
    ports.counted?.('accepted');
    await accept(letterId, partner, partner.house);
    if (!terms.test) return;
    for (const report of simulatedReports(personal.to.name, terms.service, letterId)) {
      await record(letterId, (current) => reportProgress(current, report));
    }
  };

  return {
    /** The partner that a letter waits for if it cannot be handed over. */
    async waitsFor(letterId: string): Promise<WaitsFor> {
      const state = await letters.load(letterId);
      if (state.status === 'none' || state.terms.test) return 'simulator';
      return isWith(ports.partner, state) ? 'serving' : 'earlier';
    },

    /**
     * Renders a letter in production and hands it over, by job id. One that is being asked back is not
     * handed over where the recall holds without it.
     * @throws LeftProduction, PartnerUnavailable; whatever of rendering may pass
     */
    async submit(letterId: string, at: string, assertOwner: AssertOwner): Promise<void> {
      const found = await inProduction(letterId);
      if (!found) return;
      const { letter, partner } = found;
      const { terms, personal, recall } = letter;
      if (!personal) return;
      if (!partner) {
        if (letter.handedOver) return;
        throw partnerMissing(letter);
      }
      const doubt = await doubtAbout(letterId, letter, partner);
      if (letter.handedOver && doubt !== 'again') return;
      if (doubt === 'undecided') throw new HeldAfterRestore(letterId);
      if (doubt === 'printed') return accept(letterId, partner);
      if (doubt !== 'again' && !isWith(partner, letter)) throw partnerMissing(letter);
      if (recall === 'requested' && partner.recallsUnseen) return;
      await make(letterId, { terms, personal, partner, at }, assertOwner);
      if (doubt === 'again') await ports.restored.handedOver(letterId);
    },

    /**
     * Ensures that a letter that the operator gave up, or reported as posted, is not printed after all. The
     * answer of the print house changes nothing. `where`: of the partners that may have it. Absent: all of them.
     * @throws PartnerUnavailable
     */
    async drop(letterId: string, assertOwner: AssertOwner, where = isAny): Promise<void> {
      const state = await letters.load(letterId);
      if (state.status === 'none' || state.terms.test || state.partner === undefined) return;
      const partners = await toDropAt(ports, letterId, state);
      await assertOwner();
      for (const partner of partners.filter(where)) await partner.recall(letterId);
    },

    /** Asks for a letter back and records the answer, unless the partner gives it later. */
    async recall(letterId: string, assertOwner: AssertOwner): Promise<void> {
      const found = await inProduction(letterId);
      if (found?.letter.recall !== 'requested') return;
      const { letter, partner } = found;
      if (!partner) throw partnerMissing(letter);
      const doubt = await doubtAbout(letterId, letter, partner);
      // One that is to be handed over again is not while it is being asked back, where the recall holds without that.
      const waits = doubt === 'undecided' || (doubt === 'again' && !partner.recallsUnseen);
      if (waits) throw new HeldAfterRestore(letterId);
      if (doubt === 'none' && !isWith(partner, letter)) throw partnerMissing(letter);
      await assertOwner();
      // A partner other than the one of the letter may have printed it.
      const reply: RecallAnswer =
        doubt === 'printed'
          ? { answer: 'rejected', reason: 'taken_by_print_house' }
          : await partner.recall(letterId, { isUnseen: !letter.handedOver || doubt === 'again' });
      if (reply.answer === 'pending') return;
      const accepted = reply.answer === 'accepted';
      const reason = reply.answer === 'rejected' ? reply.reason : '';
      const answer = { type: 'AnswerRecall' as const, accepted, reason };
      await record(letterId, (current) => answerRecall(current, answer));
    },
  };
};

/**
 * Hands every letter that entered production to its print partner. Tasks of one letter run one after the
 * other, so that a recall never overtakes a hand-over.
 */
export const createProduceLetters = (
  ports: ProductionPorts,
): Reactor & {
  inProduction: InProduction;
  /** Hands over a letter that the operator declared as not printed. */
  handOverAgain(letterId: string, assertOwner: AssertOwner): Promise<void>;
} => {
  const production = createProduction(ports);
  const { track, ...inProduction } = createInProduction(production.waitsFor);
  const submit =
    (letterId: string, at: string): Task =>
    (lease) =>
      track(letterId, async () => {
        try {
          await production.submit(letterId, at, () => lease.check());
        } catch (error) {
          // Nothing is left to do: the event that ended it has a task of its own.
          if (!(error instanceof LeftProduction)) throw error;
        }
      });
  return {
    name: 'produce-letters',
    mostAtOnce: mostInHand,
    inProduction,
    async handOverAgain(letterId, assertOwner) {
      const { status } = await ports.letters.load(letterId);
      // Queued letters are handed over when they are due.
      if (status === 'queued') return;
      if (status !== 'processing') return ports.restored.handedOver(letterId);
      await production.submit(letterId, toTimestamp(ports.clock()), assertOwner);
      // This runs in parallel with the tasks of the letter, so the operator may have ended the letter meanwhile.
      const after = await ports.letters.load(letterId);
      if (after.status !== 'processing') await production.drop(letterId, assertOwner);
    },
    parked(stream) {
      if (isLetterStream(stream)) inProduction.absent(letterIdIn(stream));
    },
    react(event) {
      if (!isLetterStream(event.stream)) return undefined;
      const letterId = letterIdIn(event.stream);
      switch (event.type) {
        case 'LetterProcessingStarted':
          return submit(letterId, event.metadata.at);
        case 'LetterCancellationRequested':
          return (lease) => production.recall(letterId, () => lease.check());
        case 'LetterCancellationRejected':
          return submit(letterId, event.metadata.at);
        case 'LetterFailed':
        case 'LetterPosted': {
          const { source } = event.data;
          const isPrintFailure = event.type === 'LetterFailed' && event.data.stage === 'print';
          if (source !== 'operator' && !isPrintFailure) return undefined;
          const where = source === 'operator' ? isAny : isFolder;
          return (lease) => production.drop(letterId, () => lease.check(), where);
        }
        case 'LetterErased':
          // So that its parts in memory are erased too.
          return async () => {
            await ports.letters.load(letterId);
          };
        default:
          return undefined;
      }
    },
  };
};
