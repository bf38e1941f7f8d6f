import { randomUUID } from 'node:crypto';
import type { Clock } from '../../ground/clock.ts';
import {
  JobRecalled,
  JobRefused,
  type JobState,
  PartnerUnavailable,
  type PrintPartner,
} from '../../reactors/print-partner.ts';
import { OutboundError } from '../fetch/outbound-error.ts';
import { createSafeFetch } from '../fetch/safe-fetch.ts';
import { signWebhook } from '../signing/standard-webhooks.ts';
import type { HandOverMarks } from './hand-over-marks.ts';
import { createOutageGate } from './outage-gate.ts';

type HttpPartnerOptions = {
  /** Without a slash at its end. */
  url: string;
  token: string;
  /** `whsec_…`: signs requests. */
  secret: string;
  clock: Clock;
  marks: Pick<HandOverMarks, 'renew' | 'datedAt' | 'forget'>;
  /** Of one call, with its document. Default 30 s. */
  timeoutMs?: number;
};

/** The answer of a print house; see docs/print-houses.md. */
type Answer = { job_id: string; status: string; reason?: string };

const reasonPattern = /^[a-z0-9_]{1,64}$/;
const reasonOf = ({ reason }: Answer, otherwise: string): string =>
  reason !== undefined && reasonPattern.test(reason) ? reason : otherwise;

/** The answer, if it is one about this job. Anything else may come from a proxy or a wrong address. */
const parseAnswer = (text: string, jobId: string): Answer | undefined => {
  try {
    const { job_id: id, status, reason } = JSON.parse(text) as Record<string, unknown>;
    if (id !== jobId || typeof status !== 'string') return undefined;
    return { job_id: jobId, status, ...(typeof reason === 'string' ? { reason } : {}) };
  } catch {
    return undefined;
  }
};

/** No call of its own failed: the partner as a whole does not answer as it should. */
class PartnerDown extends PartnerUnavailable {}

const givenUp = (): PartnerUnavailable =>
  new PartnerUnavailable('The service is stopping; the result of the call is unknown.', false);

type Reply = { status: number; answer: Answer | undefined };

/** @throws PartnerUnavailable, always: what the status says of whether the partner may have obeyed */
const refuseReply = (url: URL, { status }: Reply): never => {
  // From 400 to 499, and with a redirect, the partner has done nothing.
  const safe = status >= 300 && status < 500;
  const Failure = status >= 500 || status === 429 ? PartnerDown : PartnerUnavailable;
  const what = status < 300 ? `${status} without saying what became of the job` : String(status);
  throw new Failure(`The print partner ${url.host} answered ${what}.`, safe);
};

/** The name by which the print house of an address is recorded. */
export const houseOf = (url: string): string => {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
};

/**
 * A print house over HTTP. Each call is a POST with a bearer token and a Standard Webhooks signature;
 * redirects are not followed. The address is the operator's own, so that it may be a private one.
 */
export const createHttpPartner = (
  options: HttpPartnerOptions,
): PrintPartner & {
  /** Gives up the calls in progress. The next start asks for their outcome. */
  close(): Promise<void>;
} => {
  const { token, secret, clock, marks, timeoutMs = 30_000 } = options;
  const base = new URL(options.url);
  const fetch = createSafeFetch({ allowPrivate: true, timeoutMs });
  const gate = createOutageGate();
  /** Give up the calls in progress. Each has its own: a race against one lasting promise would never be freed. */
  const givingUp = new Set<() => void>();
  let isClosed = false;

  const send = async (path: string, id: string, jobId: string, content: object): Promise<Reply> => {
    const body = JSON.stringify(content);
    const timestampS = Math.floor(clock() / 1_000);
    const headers = {
      ...signWebhook({ id, timestampS, body, secrets: [secret] }),
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json',
    };
    if (isClosed) throw givenUp();
    const { promise: stopped, reject } = Promise.withResolvers<never>();
    const giveUp = () => reject(givenUp());
    givingUp.add(giveUp);
    try {
      const posting = fetch.post(`${options.url}${path}`, { headers, body });
      const reply = await Promise.race([posting, stopped]);
      return { status: reply.status, answer: parseAnswer(reply.body, jobId) };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      throw new PartnerDown(`The print partner: ${error.message}.`, !error.requestSent, error);
    } finally {
      givingUp.delete(giveUp);
    }
  };

  /** Calls and reads the answer; `read` gives nothing for one that it does not understand. */
  const call = <T>(
    path: string,
    id: string,
    jobId: string,
    content: object,
    read: (reply: Reply) => T | undefined,
  ): Promise<T> =>
    gate.pass(
      async () => {
        const reply = await send(path, id, jobId, content);
        return read(reply) ?? refuseReply(base, reply);
      },
      (error) => error instanceof PartnerDown,
    );

  const pathOf = (jobId: string, action: string): string => `/jobs/${jobId}/${action}`;
  const isSuccess = (status: number): boolean => status >= 200 && status < 300;

  return {
    name: 'http',
    house: houseOf(options.url),
    remembersJobs: true,
    recallsUnseen: true,
    async submit({ ticket, pdf, datedAt }) {
      const jobId = ticket.job_id;
      // The print house has said that it has no earlier attempt of this job.
      await marks.renew(jobId, randomUUID(), datedAt);
      const content = { ticket, pdf_base64: pdf.toString('base64') };
      await call('/jobs', `job_${jobId}`, jobId, content, ({ status, answer }) => {
        if (isSuccess(status) && answer?.status === 'accepted') return true;
        if (status === 409 && answer?.status === 'recalled') throw new JobRecalled(jobId);
        if (status === 422 && answer?.status === 'refused') {
          throw new JobRefused(reasonOf(answer, 'refused_by_print_house'));
        }
        return undefined;
      });
    },
    status: (jobId) =>
      call<JobState>(
        pathOf(jobId, 'status'),
        `status_${randomUUID()}`,
        jobId,
        { job_id: jobId },
        ({ status, answer }) =>
          isSuccess(status)
            ? (['unknown', 'accepted', 'recalled'] as const).find((one) => one === answer?.status)
            : undefined,
      ),
    datedAt: (jobId) => marks.datedAt(jobId),
    recall: (jobId) =>
      call(
        pathOf(jobId, 'recall'),
        `recall_${randomUUID()}`,
        jobId,
        { job_id: jobId },
        ({ status, answer }) => {
          if (!isSuccess(status) || !answer) return undefined;
          const { status: said } = answer;
          if (said === 'rejected') {
            return { answer: said, reason: reasonOf(answer, 'in_production') };
          }
          return said === 'accepted' || said === 'pending' ? { answer: said } : undefined;
        },
      ),
    async forget(jobId) {
      const id = `forget_${jobId}`;
      await call(pathOf(jobId, 'forget'), id, jobId, { job_id: jobId }, ({ status }) =>
        isSuccess(status) ? true : undefined,
      );
      await marks.forget(jobId);
    },
    async close() {
      isClosed = true;
      for (const giveUp of givingUp) giveUp();
      // It waits for the connections of these calls, because nothing else does.
      void fetch.close().catch(() => {});
    },
  };
};
