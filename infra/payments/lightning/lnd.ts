/** LND by its REST gateway. Numbers beyond 2⁵³ are JSON strings there, bytes base64. */
import { createHash } from 'node:crypto';
import { Agent, request } from 'undici';
import type { InvoiceState, LightningNode } from '../../../commands/payments/lightning.ts';
import { RailUnavailable } from '../../../commands/payments/rails.ts';

export type LndSettings = {
  restUrl: string;
  /** Hex; one that may make and read invoices is enough. */
  macaroon: string;
  /** PEM of the certificate, where the system does not know who signed it. */
  cert?: string | undefined;
};

const timeoutMs = 10_000;
/** A member of an answer of the node. @throws RailUnavailable for an answer that lacks it, as of a proxy before the node */
const textIn = (body: Record<string, unknown>, name: string): string => {
  const value = body[name];
  if (typeof value === 'string') return value;
  throw new RailUnavailable(new Error(`LND answered without ${name}`));
};

/** gRPC codes, as the gateway passes them on. */
const alreadyExists = 6;
const notFound = 5;
const unknown = 2;

type Answer = { status: number; body: Record<string, unknown> };

const stateNames: Record<string, 'open' | 'held' | 'cancelled'> = {
  OPEN: 'open',
  ACCEPTED: 'held',
  CANCELED: 'cancelled',
};

type Lnd = LightningNode & {
  /**
   * Payment hashes as they are settled, from now on; ends when the connection does.
   * @throws RailUnavailable for a node that refuses, for example the macaroon
   */
  settledNow(signal: AbortSignal, connected?: () => void): AsyncIterable<string>;
  /** Every invoice that was ever settled, the oldest first. */
  settled(): AsyncIterable<{ paymentHash: string; paidMsat: bigint; createdMs: number }>;
};

export const createLnd = ({ restUrl, macaroon, cert }: LndSettings): Lnd & AsyncDisposable => {
  const dispatcher = new Agent({ connect: { ca: cert, timeout: timeoutMs } });
  const headers = { 'Grpc-Metadata-macaroon': macaroon };

  const call = async (method: 'GET' | 'POST', path: string, body?: object): Promise<Answer> => {
    try {
      const answer = await request(`${restUrl}${path}`, {
        method,
        headers,
        dispatcher,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      const answered = await answer.body.json();
      if (typeof answered !== 'object' || answered === null)
        throw new Error('LND answered no JSON object');
      return { status: answer.statusCode, body: answered as Record<string, unknown> };
    } catch (error) {
      throw new RailUnavailable(error);
    }
  };

  /** Refusals of the node are for the operator of the service, not for callers. */
  const refused = ({ status, body }: Answer): RailUnavailable =>
    new RailUnavailable(new Error(`LND answered ${status}: ${String(body.message ?? '')}`));

  const lookUp = async (paymentHash: string): Promise<Record<string, unknown> | undefined> => {
    const answer = await call('GET', `/v1/invoice/${paymentHash}`);
    if (answer.status === 200) return answer.body;
    const { code, message } = answer.body;
    const missing =
      code === notFound || (code === unknown && /unable to locate/.test(String(message)));
    if (missing) return undefined;
    throw refused(answer);
  };

  return {
    async invoice({ preimage, amountSat, memo, expirySeconds }) {
      const answer = await call('POST', '/v1/invoices', {
        r_preimage: preimage.toString('base64'),
        value: String(amountSat),
        memo,
        expiry: String(expirySeconds),
      });
      if (answer.status === 200) return { request: textIn(answer.body, 'payment_request') };
      const { code, message } = answer.body;
      if (code !== alreadyExists && !/already exists/.test(String(message))) throw refused(answer);
      const made = await lookUp(createHash('sha256').update(preimage).digest('hex'));
      if (!made) throw refused(answer);
      const createdMs = Number(textIn(made, 'creation_date')) * 1_000;
      return {
        request: textIn(made, 'payment_request'),
        earlier: {
          amountSat: BigInt(textIn(made, 'value')),
          createdMs,
          expiresMs: createdMs + Number(textIn(made, 'expiry')) * 1_000,
        },
      };
    },

    async stateOf(paymentHash): Promise<InvoiceState | undefined> {
      const invoice = await lookUp(paymentHash);
      if (!invoice) return undefined;
      if (invoice.state === 'SETTLED') {
        return { state: 'settled', paidMsat: BigInt(textIn(invoice, 'amt_paid_msat')) };
      }
      return { state: stateNames[String(invoice.state)] ?? 'open' };
    },

    async *settledNow(signal, connected = () => {}) {
      const answer = await request(`${restUrl}/v1/invoices/subscribe`, {
        headers,
        dispatcher,
        signal,
        headersTimeout: timeoutMs,
        bodyTimeout: 0,
      });
      if (answer.statusCode !== 200) {
        const body = await answer.body.json().catch(() => ({}));
        throw refused({ status: answer.statusCode, body: body as Answer['body'] });
      }
      connected();
      let rest = '';
      for await (const chunk of answer.body) {
        rest += String(chunk);
        const lines = rest.split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines.filter((one) => one.trim() !== '')) {
          const { result } = JSON.parse(line) as { result?: { state?: string; r_hash?: string } };
          if (result?.state !== 'SETTLED' || result.r_hash === undefined) continue;
          yield Buffer.from(result.r_hash, 'base64').toString('hex');
        }
      }
    },

    async *settled() {
      for (let offset = '0'; ; ) {
        const answer = await call(
          'GET',
          `/v1/invoices?index_offset=${offset}&num_max_invoices=1000`,
        );
        if (answer.status !== 200) throw refused(answer);
        const { invoices, last_index_offset: last } = answer.body as {
          invoices?: {
            state: string;
            r_hash: string;
            amt_paid_msat: string;
            creation_date: string;
          }[];
          last_index_offset?: string;
        };
        if (!invoices?.length || last === undefined || last === offset) return;
        for (const { state, r_hash, amt_paid_msat, creation_date } of invoices) {
          if (state !== 'SETTLED') continue;
          const paymentHash = Buffer.from(r_hash, 'base64').toString('hex');
          const createdMs = Number(creation_date) * 1_000;
          yield { paymentHash, paidMsat: BigInt(amt_paid_msat), createdMs };
        }
        offset = last;
      }
    },

    [Symbol.asyncDispose]: () => dispatcher.destroy(),
  };
};
