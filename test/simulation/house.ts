/**
 * The print house, with a memory of its own. It takes jobs once for each id, prints them when it likes, and
 * says itself whether a recall came in time; what it says then stays so.
 */
import type { PartnerReport } from '../../commands/letters/partner-report.ts';
import { createOutageGate } from '../../infra/print/outage-gate.ts';
import {
  JobRecalled,
  JobRefused,
  type JobState,
  PartnerUnavailable,
  type PrintPartner,
  type RecallAnswer,
} from '../../reactors/print-partner.ts';
import type { Actor } from './actor.ts';
import type { Broken } from './broken.ts';
import type { Link } from './network.ts';
import { between, type Schedule } from './schedule.ts';

type Job = 'accepted' | 'recalled' | 'printed' | 'spoilt';

export const createHouse = (schedule: Schedule, broken: Broken) => {
  const { random } = schedule;
  const jobs = new Map<string, Job>();
  /** Job ids as they were printed. */
  const printed: string[] = [];
  const reports: PartnerReport[] = [];
  /** Refusals and spoilt prints are drawn once for each job. */
  const [refuses, spoils, postpones] = [new Set<string>(), new Set<string>(), random() < 0.3];

  const print = (jobId: string): void => {
    if (jobs.get(jobId) !== 'accepted') return;
    if (spoils.has(jobId)) {
      jobs.set(jobId, 'spoilt');
      reports.push({ job_id: jobId, status: 'failed', reason: 'paper_jam' });
      return;
    }
    jobs.set(jobId, 'printed');
    printed.push(jobId);
    if (broken.unknown) jobs.delete(jobId);
    reports.push({ job_id: jobId, status: 'posted' });
    if (random() < 0.5) reports.push({ job_id: jobId, status: 'in_transit' });
  };

  const take = (jobId: string): void => {
    if (random() < 0.06) spoils.add(jobId);
    jobs.set(jobId, 'accepted');
    schedule.after(between(random, 20, 9_000), () => print(jobId));
  };

  const recall = (jobId: string): boolean => {
    const job = jobs.get(jobId);
    if (job !== 'printed') jobs.set(jobId, 'recalled');
    return job !== 'printed' || broken.recalls === true;
  };

  return {
    printed,
    reports,
    jobs,
    submit(jobId: string): void {
      const job = jobs.get(jobId);
      if (job === 'recalled') throw new JobRecalled(jobId);
      if (job === undefined && (refuses.has(jobId) || random() < 0.05)) {
        refuses.add(jobId);
        throw new JobRefused('unreadable');
      }
      if (job === undefined) take(jobId);
    },
    /** By its hotfolder, which does not report whether the house takes the job. */
    take(jobId: string): void {
      schedule.after(between(random, 0, 3_000), () => printed.push(jobId));
    },
    status(jobId: string): JobState {
      const job = jobs.get(jobId);
      if (job === undefined) return 'unknown';
      return job === 'recalled' ? 'recalled' : 'accepted';
    },
    recall(jobId: string): RecallAnswer {
      if (!postpones || jobs.get(jobId) === 'recalled') {
        if (recall(jobId)) return { answer: 'accepted' };
        return { answer: 'rejected', reason: 'printed_already' };
      }
      schedule.after(between(random, 10, 4_000), () => {
        const status = recall(jobId) ? 'recall_accepted' : 'recall_rejected';
        reports.push({ job_id: jobId, status });
      });
      return { answer: 'pending' };
    },
  };
};

export type House = ReturnType<typeof createHouse>;

/** The house over HTTP. */
export const partnerOver = (house: House, link: Link, actor: Actor): PrintPartner => {
  const gate = createOutageGate(actor.time.elapsedMs);
  const ask = <T>(work: () => T): Promise<T> =>
    gate.pass(
      () =>
        link.call(
          async () => work(),
          (sent) => new PartnerUnavailable('The print house does not answer.', !sent),
        ),
      (error) => error instanceof PartnerUnavailable,
    );
  return {
    name: 'house',
    remembersJobs: true,
    recallsUnseen: true,
    submit: ({ ticket }) => ask(() => house.submit(ticket.job_id)),
    status: (jobId) => ask(() => house.status(jobId)),
    recall: (jobId) => ask(() => house.recall(jobId)),
    datedAt: async () => undefined,
    forget: async () => {},
  };
};
