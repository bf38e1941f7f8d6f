/** What a print house is given. Times RFC 3339, sizes in millimetres. */
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

export type PrintJob = { ticket: JobTicket; pdf: Buffer };

/**
 * Where letters are printed. `submit` is idempotent by `job_id`: the same job again is the same job.
 * `forget` removes what is kept of a job, for erasure.
 */
export type PrintPartner = {
  name: string;
  submit(job: PrintJob): Promise<void>;
  forget(jobId: string): Promise<void>;
};
