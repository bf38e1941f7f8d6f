import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { JobTicket } from '../../reactors/print-partner.ts';
import { injected } from './injected.ts';

/**
 * The print house's reaction to requests: `work`; `fail` before it did anything, or after (`obey-and-fail`);
 * obey and drop the connection (`obey-and-drop`); `hang` before it did anything, or obey first
 * (`obey-and-hang`); `redirect` elsewhere; answer with something else (`babble`).
 */
export type Mood =
  | 'work'
  | 'fail'
  | 'obey-and-fail'
  | 'obey-and-drop'
  | 'hang'
  | 'obey-and-hang'
  | 'redirect'
  | 'babble';

type HouseJob = {
  ticket: JobTicket | undefined;
  pdf: Buffer;
  state: 'accepted' | 'printed' | 'recalled';
  /** How often it was submitted and taken. */
  submissions: number;
};

type Reply = { status: number; body: object };

export const houseToken = 'token-of-the-print-house';
export const houseSecret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;

const readAll = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
};

/** A print house over HTTP that speaks the protocol of docs/print-houses.md and counts what it prints. */
export const startPrintHouse = async (options: { printAfterMs?: () => number } = {}) => {
  const jobs = new Map<string, HouseJob>();
  const calls: { path: string; webhookId: string }[] = [];
  const printed: string[] = [];
  const house = {
    mood: 'work' as Mood,
    /** Only calls whose path it matches are treated by `mood`. */
    moodFor: /./,
    /** How it answers recalls; `honest`: by whether it has printed the job. */
    recalls: 'honest' as 'honest' | 'rejected' | 'pending',
    /** Refuses jobs for good. */
    refuses: undefined as string | undefined,
  };

  const print = (jobId: string): void => {
    const job = jobs.get(jobId);
    if (job?.state !== 'accepted') return;
    job.state = 'printed';
    printed.push(jobId);
  };

  const submit = ({ ticket, pdf_base64 }: { ticket: JobTicket; pdf_base64: string }): Reply => {
    const { job_id } = ticket;
    if (house.refuses) {
      return { status: 422, body: { job_id, status: 'refused', reason: house.refuses } };
    }
    const known = jobs.get(job_id);
    if (known?.state === 'recalled') return { status: 409, body: { job_id, status: 'recalled' } };
    if (known) known.submissions++;
    else {
      const pdf = Buffer.from(pdf_base64, 'base64');
      jobs.set(job_id, { ticket, pdf, state: 'accepted', submissions: 1 });
      if (options.printAfterMs) setTimeout(() => print(job_id), options.printAfterMs());
    }
    return { status: 202, body: { job_id, status: 'accepted' } };
  };

  const recall = (jobId: string): Reply => {
    const answer = (status: string, reason?: string): Reply => ({
      status: 200,
      body: { job_id: jobId, status, ...(reason ? { reason } : {}) },
    });
    const job = jobs.get(jobId);
    if (house.recalls === 'rejected' || job?.state === 'printed') {
      return answer('rejected', 'printed_already');
    }
    if (house.recalls === 'pending') return answer('pending');
    if (job) job.state = 'recalled';
    else {
      const pdf = Buffer.alloc(0);
      jobs.set(jobId, { ticket: undefined, pdf, state: 'recalled', submissions: 0 });
    }
    return answer('accepted');
  };

  const obey = (path: string, body: string): Reply => {
    if (path === '/api/jobs') return submit(JSON.parse(body));
    const [, jobId = '', action] = /^\/api\/jobs\/([0-9a-f-]{36})\/(\w+)$/.exec(path) ?? [];
    if (action === 'recall') return recall(jobId);
    if (action === 'forget') {
      jobs.delete(jobId);
      return { status: 200, body: { job_id: jobId } };
    }
    if (action !== 'status') return { status: 404, body: { error: 'no such path' } };
    const state = jobs.get(jobId)?.state ?? 'unknown';
    const status = state === 'printed' ? 'accepted' : state;
    return { status: 200, body: { job_id: jobId, status } };
  };

  const isSigned = (request: IncomingMessage, body: string): boolean => {
    try {
      new Webhook(houseSecret).verify(body, request.headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  };

  const replyTo = (path: string, body: string): Reply | 'drop' | 'hang' => {
    const mood = house.moodFor.test(path) ? house.mood : 'work';
    if (mood !== 'work') injected(`print house: ${mood}`);
    if (mood === 'fail') return { status: 503, body: { error: 'closed' } };
    if (mood === 'hang') return 'hang';
    if (mood === 'babble') return { status: 200, body: { welcome: 'home' } };
    if (mood === 'redirect') return { status: 307, body: {} };
    const reply = obey(path, body);
    if (mood === 'obey-and-drop') return 'drop';
    if (mood === 'obey-and-hang') return 'hang';
    return mood === 'obey-and-fail' ? { status: 500, body: {} } : reply;
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? '';
    const body = await readAll(request);
    calls.push({ path, webhookId: String(request.headers['webhook-id']) });
    const trusted =
      request.method === 'POST' &&
      request.headers.authorization === `Bearer ${houseToken}` &&
      isSigned(request, body);
    const reply = trusted ? replyTo(path, body) : { status: 401, body: { error: 'who are you' } };
    if (reply === 'drop') response.destroy();
    if (typeof reply === 'string') return;
    response.writeHead(reply.status, {
      'content-type': 'application/json',
      ...(reply.status === 307 ? { location: '/elsewhere' } : {}),
    });
    response.end(JSON.stringify(reply.body));
  };

  const open = async (port: number) => {
    const server = createServer((request, response) => {
      void handle(request, response).catch(() => response.destroy());
    }).listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server;
  };
  let server = await open(0);
  const { port } = server.address() as AddressInfo;
  let isUp = true;

  const close = async (): Promise<void> => {
    if (!isUp) return;
    isUp = false;
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };

  return Object.assign(house, {
    url: `http://127.0.0.1:${port}/api`,
    /** The environment of a service whose print house this is. */
    env: {
      PRINT_PARTNER: 'http',
      PRINT_HTTP_URL: `http://127.0.0.1:${port}/api`,
      PRINT_HTTP_TOKEN: houseToken,
      PRINT_WEBHOOK_SECRET: houseSecret,
      PRINT_HANDOVER: 'always',
    },
    jobs,
    calls,
    /** Job ids in the order in which they were printed; one that was printed twice is in it twice. */
    printed,
    print,
    callsTo: (action: RegExp): number => calls.filter(({ path }) => action.test(path)).length,
    /** Nothing listens any more. */
    goDown: close,
    async comeBack(): Promise<void> {
      server = await open(port);
      isUp = true;
    },
    /** A report as its print house sends it to `POST /partner/events`. */
    sign(
      report: object,
      more: { id?: string; secret?: string; at?: Date } = {},
    ): { headers: Record<string, string>; raw: string } {
      const { id = `evt_${randomUUID()}`, secret = houseSecret, at = new Date() } = more;
      const raw = JSON.stringify(report);
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
        'webhook-signature': new Webhook(secret).sign(id, at, raw),
      };
      return { headers, raw };
    },
    stop: close,
  });
};

export type PrintHouse = Awaited<ReturnType<typeof startPrintHouse>>;
