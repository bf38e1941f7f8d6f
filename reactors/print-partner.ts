/** The ticket that a print house gets. Times RFC 3339, sizes in millimetres. */
export type JobTicket = {
  job_id: string;
  letter_id: string;
  test: boolean;
  service: string;
  country: string;
  pages: number;
  sheets: number;
  color: boolean;
  duplex: boolean;
  page_format: string;
  envelope: string;
  created_at: string;
  pdf_sha256: string;
};

/** `datedAt`: when the pages were set, RFC 3339. */
export type PrintJob = { ticket: JobTicket; pdf: Buffer; datedAt: string };

/**
 * The state of a job at the partner. `accepted` includes printed. `unknown` is proven absence: the partner has
 * never been able to take the job, and cannot take it before it is submitted (again). If the partner does not
 * know or cannot be reached, PartnerUnavailable is thrown.
 */
export type JobState = 'unknown' | 'accepted' | 'recalled';

/** `pending`: the partner answers later, by a report. */
export type RecallAnswer =
  | { answer: 'accepted' }
  | { answer: 'rejected'; reason: string }
  | { answer: 'pending' };

/** The partner could not be asked, or did not answer as it should: the same is tried again later. */
export class PartnerUnavailable extends Error {
  /**
   * True: certainly the partner has not taken the job. False: it may have, so `status` is asked before
   * anything else is done.
   */
  readonly safeToRetry: boolean;

  constructor(message: string, safeToRetry: boolean, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'PartnerUnavailable';
    this.safeToRetry = safeToRetry;
  }
}

/** The data was restored from a backup, and the partner may have the job: it is tried again until the operator decided. */
export class HeldAfterRestore extends PartnerUnavailable {
  constructor(letterId: string) {
    super(
      `The print house may have letter ${letterId}: the data was restored from a backup. npm run operator -- restored`,
      true,
    );
    this.name = 'HeldAfterRestore';
  }
}

/** The partner says that it will never print this job. `reason`: lower-case letters, digits and `_`. */
export class JobRefused extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(`The print partner refused the job: ${reason}.`);
    this.name = 'JobRefused';
    this.reason = reason;
  }
}

/** The job was taken back before; it is not printed any more. */
export class JobRecalled extends Error {
  constructor(jobId: string) {
    super(`The job ${jobId} was recalled.`);
    this.name = 'JobRecalled';
  }
}

/**
 * Where letters are printed. Everything is safe to repeat: the same job id is the same job.
 *
 * A job that was recalled is never printed, also when it is submitted again. Of recall and print exactly
 * one happens, and the partner is who says which.
 */
export type PrintPartner = {
  name: string;
  /** Tells print houses apart that have the same name: the address. It is recorded with each letter. */
  house?: string;
  /**
   * Whether the partner knows for ever which jobs it took, so that a job that comes twice is printed once. If
   * not, jobs that it took after a backup are in doubt when that backup is restored, also at a later partner.
   */
  remembersJobs: boolean;
  /**
   * Whether a recall also holds for a job that has not come yet. If so, a letter with a requested
   * cancellation need not be handed over first to be taken back.
   */
  recallsUnseen: boolean;
  /** @throws PartnerUnavailable, JobRefused, JobRecalled */
  submit(job: PrintJob): Promise<void>;
  /** @throws PartnerUnavailable */
  status(jobId: string): Promise<JobState>;
  /**
   * `datedAt` of the job that the partner has, also if another process or an earlier try handed it over. It is recorded
   * before the print house can take the job. Absent: an earlier version handed the job over, or the record was lost.
   */
  datedAt(jobId: string): Promise<string | undefined>;
  /**
   * `isUnseen`: the service has not recorded that the partner has the job. Absent: it has.
   * @throws PartnerUnavailable
   */
  recall(jobId: string, about?: { isUnseen: boolean }): Promise<RecallAnswer>;
  /** Removes the stored parts of a job, for erasure. @throws PartnerUnavailable */
  forget(jobId: string): Promise<void>;
};

/**
 * Whether a job was handed over, as far as a database knows that was restored from a backup. `undecided`:
 * perhaps, and the operator must say. `printed`: the operator says that the print house has it. `again`: the
 * operator says that the print house does not have it, whatever the log says.
 */
export type Doubt = 'none' | 'undecided' | 'printed' | 'again';

export type RestoredJobs = {
  /** `releasedAt`: when the letter could be handed over at the earliest, RFC 3339. `partner`: prints it. */
  doubtOf(
    jobId: string,
    releasedAt: string,
    partner: Pick<PrintPartner, 'name' | 'remembersJobs'>,
  ): Promise<Doubt>;
  /** A job of which the operator said `again` was handed over. */
  handedOver(jobId: string): Promise<void>;
  /** Whether the operator ever said `again`, so that another print house than the recorded one may have the job. */
  wasGivenAgain(jobId: string): Promise<boolean>;
};

/** Whether a letter in production is with this partner. Letters of earlier versions do not name their house. */
export const isWith = (
  { name, house }: Pick<PrintPartner, 'name' | 'house'>,
  letter: { partner: string | undefined; house: string | undefined },
): boolean => name === letter.partner && (letter.house === undefined || letter.house === house);

/**
 * Whether a partner may have a letter. The present print house may also have letters of an earlier one that were handed
 * over again.
 */
export const mayBeWith = async (
  partner: PrintPartner,
  letterId: string,
  letter: { partner: string | undefined; house: string | undefined },
  restored: Pick<RestoredJobs, 'wasGivenAgain'>,
): Promise<boolean> =>
  isWith(partner, letter) ||
  (partner.name === letter.partner && (await restored.wasGivenAgain(letterId)));

/**
 * Hands a job over once. The partner is asked first whether it has the job, so that neither a lost answer nor
 * a crash makes a second one. `make` is called only if it has not.
 * @returns the state of the job
 * @throws PartnerUnavailable, JobRefused
 */
export const handOver = async (
  partner: Pick<PrintPartner, 'status' | 'submit'>,
  jobId: string,
  make: () => Promise<PrintJob>,
): Promise<'accepted' | 'recalled'> => {
  const known = await partner.status(jobId);
  if (known !== 'unknown') return known;
  const job = await make();
  try {
    await partner.submit(job);
    return 'accepted';
  } catch (error) {
    if (error instanceof JobRecalled) return 'recalled';
    if (!(error instanceof PartnerUnavailable) || error.safeToRetry) throw error;
    const after = await partner.status(jobId).catch(() => undefined);
    if (after === undefined || after === 'unknown') throw error;
    return after;
  }
};
