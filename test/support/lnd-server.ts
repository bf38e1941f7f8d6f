/**
 * A stand-in for LND's REST gateway: its routes, its errors, invoices that are really signed (BOLT11,
 * regtest). `pay` settles one, as a payer's node would.
 */
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import bolt11 from 'bolt11';

type Invoice = {
  hash: string;
  request: string;
  valueSat: bigint;
  state: 'OPEN' | 'SETTLED' | 'CANCELED' | 'ACCEPTED';
  paidMsat: bigint;
  /** In seconds after its creation. */
  expiry: number;
  settleIndex: number;
  createdAt: number;
};

const nodeKey = 'e126f68f7eafcc8b74f54d269fe206be715000f94dac067d1c04a8ca3b2db734';
const regtest = {
  bech32: 'bcrt',
  pubKeyHash: 0x6f,
  scriptHash: 0xc4,
  validWitnessVersions: [0, 1],
};

const signInvoice = (wish: { hash: string; valueSat: bigint; memo: string; expiry: number }) => {
  const encoded = bolt11.encode({
    network: regtest,
    satoshis: Number(wish.valueSat),
    timestamp: Math.floor(Date.now() / 1_000),
    tags: [
      { tagName: 'payment_hash', data: wish.hash },
      { tagName: 'payment_secret', data: randomBytes(32).toString('hex') },
      { tagName: 'description', data: wish.memo },
      { tagName: 'expire_time', data: wish.expiry },
      { tagName: 'min_final_cltv_expiry', data: 80 },
    ],
  });
  return String(bolt11.sign(encoded, nodeKey).paymentRequest);
};

const present = (invoice: Invoice) => ({
  r_hash: Buffer.from(invoice.hash, 'hex').toString('base64'),
  payment_request: invoice.request,
  value: String(invoice.valueSat),
  state: invoice.state,
  settled: invoice.state === 'SETTLED',
  amt_paid_msat: String(invoice.paidMsat),
  settle_index: String(invoice.settleIndex),
  creation_date: String(Math.floor(invoice.createdAt / 1_000)),
  expiry: String(invoice.expiry),
});

export type LndServer = Awaited<ReturnType<typeof startLnd>>;

export const startLnd = async () => {
  const macaroon = randomBytes(40).toString('hex');
  const invoices = new Map<string, Invoice>();
  const subscribers = new Set<ServerResponse>();
  let settled = 0;
  let down = false;
  let tells = true;
  let calls = 0;

  const answer = (response: ServerResponse, status: number, body: object): void => {
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(body));
  };

  const add = (wish: Record<string, string>): { status: number; body: object } => {
    const preimage = Buffer.from(wish.r_preimage ?? '', 'base64');
    if (preimage.length !== 32) return { status: 400, body: { code: 3, message: 'bad preimage' } };
    const hash = createHash('sha256').update(preimage).digest('hex');
    if (invoices.has(hash)) {
      return {
        status: 500,
        body: { code: 2, message: 'invoice with payment hash already exists' },
      };
    }
    const expiry = Number(wish.expiry ?? 3_600);
    const valueSat = BigInt(wish.value ?? 0);
    const request = signInvoice({ hash, valueSat, memo: wish.memo ?? '', expiry });
    const made: Invoice = {
      hash,
      request,
      valueSat,
      expiry,
      state: 'OPEN',
      paidMsat: 0n,
      settleIndex: 0,
      createdAt: Date.now(),
    };
    invoices.set(hash, made);
    const addIndex = String(invoices.size);
    return {
      status: 200,
      body: { r_hash: present(made).r_hash, payment_request: request, add_index: addIndex },
    };
  };

  const server = createServer((incoming, response) => {
    calls += 1;
    if (down) {
      incoming.socket.destroy();
      return;
    }
    if (incoming.headers['grpc-metadata-macaroon'] !== macaroon) {
      answer(response, 500, { code: 2, message: 'verification failed: signature mismatch' });
      return;
    }
    const { pathname } = new URL(incoming.url ?? '/', 'http://lnd');
    if (pathname === '/v1/invoices/subscribe') {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.flushHeaders();
      subscribers.add(response);
      response.on('close', () => subscribers.delete(response));
      return;
    }
    if (pathname === '/v1/invoices' && incoming.method === 'GET') {
      const { searchParams } = new URL(incoming.url ?? '/', 'http://lnd');
      const offset = Number(searchParams.get('index_offset') ?? 0);
      const page = [...invoices.values()].slice(offset, offset + 2);
      const last = String(offset + page.length);
      answer(response, 200, { invoices: page.map(present), last_index_offset: last });
      return;
    }
    const hash = /^\/v1\/invoice\/([0-9a-f]{64})$/.exec(pathname)?.[1];
    if (hash !== undefined) {
      const found = invoices.get(hash);
      if (found) answer(response, 200, present(found));
      else answer(response, 404, { code: 5, message: 'there are no existing invoices' });
      return;
    }
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { status, body } = add(JSON.parse(Buffer.concat(chunks).toString()));
      answer(response, status, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  const found = (request: string): Invoice => {
    const invoice = [...invoices.values()].find((one) => one.request === request);
    if (!invoice) throw new Error('no such invoice');
    return invoice;
  };

  return {
    url: `http://127.0.0.1:${port}`,
    macaroon,
    /** Pays it, in full or with more. @throws Error when it is not open, or less is offered */
    pay(request: string, paidMsat?: bigint): void {
      const invoice = found(request);
      const wanted = invoice.valueSat * 1_000n;
      if (invoice.state !== 'OPEN') throw new Error(`the invoice is ${invoice.state}`);
      if (paidMsat !== undefined && paidMsat < wanted) throw new Error('less than the invoice');
      settled += 1;
      Object.assign(invoice, {
        state: 'SETTLED',
        paidMsat: paidMsat ?? wanted,
        settleIndex: settled,
      });
      const line = `${JSON.stringify({ result: present(invoice) })}\n`;
      if (tells) for (const subscriber of subscribers) subscriber.write(line + line);
    },
    cancel(request: string): void {
      found(request).state = 'CANCELED';
    },
    /** While set, closes every connection and answers nobody. */
    setDown(value: boolean): void {
      down = value;
      if (value) for (const subscriber of subscribers) subscriber.destroy();
    },
    /** Whether it reports settlements to its subscribers. */
    setTells(value: boolean): void {
      tells = value;
    },
    calls: () => calls,
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
