/** An account that writes and reads at random, and knows what each read must show. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { letterTo } from './client.ts';

type Way = 'rest' | 'mcp';
type Json = Record<string, unknown>;
type Got = { status: number; headers: Headers; body: Json; late: boolean };

/** A read that is late says so; it may show less than was written. */
const isLate = (status: number, headers: Headers, body: Json): boolean =>
  headers.get('x-read-model') === 'catching-up' ||
  (status === 503 && body.code === 'read_model_behind');

/** How a caller reaches the service. `position`: what reads ask to see; 0: nothing. */
type Caller = { url: string; key: string; position: bigint };

const headersOf = ({ key, position }: Caller, reads: boolean): Record<string, string> => ({
  Authorization: `Bearer ${key}`,
  'Content-Type': 'application/json',
  Accept: 'application/json',
  ...(reads && position > 0n ? { 'X-Min-Log-Position': String(position) } : {}),
});

export const callRest = async (
  caller: Caller,
  method: string,
  path: string,
  body?: object,
): Promise<Got> => {
  const response = await fetch(caller.url + path, {
    method,
    headers: headersOf(caller, method === 'GET'),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const { status, headers } = response;
  const answer = (await response.json()) as Json;
  return { status, headers, body: answer, late: isLate(status, headers, answer) };
};

const callMcp = async (
  caller: Caller,
  name: string,
  args: object,
  reads: boolean,
): Promise<Got> => {
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: args },
  };
  const response = await fetch(`${caller.url}/mcp`, {
    method: 'POST',
    headers: headersOf(caller, reads),
    body: JSON.stringify(message),
  });
  const { headers } = response;
  const { result } = (await response.json()) as {
    result: { isError?: boolean; content: { text: string }[] };
  };
  const body = JSON.parse(result.content[0]?.text ?? '{}') as Json;
  const status = result.isError ? Number(body.status) : 200;
  const late = isLate(status, headers, body) || result.content.length > 1;
  return { status, headers, body, late };
};

type Letter = { status: string; name: string; total: number };

const idsIn = (body: Json, name: string): string[] =>
  (body.data as Json[]).map((one) => String(one[name]));

/** The written state, as reads must show it. */
const createModel = () => ({
  letters: new Map<string, Letter>(),
  keys: new Set<string>(),
  ucans: new Set<string>(),
  commitments: new Set<string>(),
  email: null as string | null,
});

type World = {
  urls: readonly string[];
  key: string;
  /** Whether reads send `X-Min-Log-Position`. */
  tells: boolean;
  random: () => number;
};

export const createRandomAccount = ({ urls, key, tells, random }: World) => {
  const model = createModel();
  const { letters, keys, ucans, commitments } = model;
  let position = 0n;
  let late = 0;
  let emails = 0;
  const pick = <T>(all: readonly T[]): T => {
    const one = all[Math.floor(random() * all.length)];
    if (one === undefined) throw new Error('nothing to pick from');
    return one;
  };
  const caller = (): Caller => ({ url: pick(urls), key, position: tells ? position : 0n });
  const way = (): Way => pick(['rest', 'mcp']);

  const wrote = ({ status, headers, body }: Got, expected: readonly number[]): Json => {
    expect(expected, JSON.stringify(body)).to.include(status);
    const at = BigInt(headers.get('x-log-position') ?? 0);
    if (at > position) position = at;
    return body;
  };
  const queued = (): string[] =>
    [...letters].filter(([, { status }]) => status === 'queued').map(([id]) => id);

  const send = async (): Promise<void> => {
    const name = `Anna ${randomUUID().slice(0, 8)}`;
    const body = letterTo('DE', { to_name: name });
    const got =
      way() === 'rest'
        ? await callRest(caller(), 'POST', '/api/send', body)
        : await callMcp(caller(), 'send_letter', body, false);
    const sent = wrote(got, [200, 201]);
    const { total } = sent.price as { total: number };
    letters.set(String(sent.letter_id), { status: 'queued', name, total });
  };

  const rename = async (): Promise<void> => {
    const id = pick(queued());
    const name = `Berta ${randomUUID().slice(0, 8)}`;
    const body = { to_name: name };
    wrote(await callRest(caller(), 'PATCH', `/api/letters/${id}`, body), [200]);
    Object.assign(letters.get(id) as Letter, { name });
  };

  const cancel = async (): Promise<void> => {
    const id = pick(queued());
    const got =
      way() === 'rest'
        ? await callRest(caller(), 'POST', `/api/letters/${id}/cancel`)
        : await callMcp(caller(), 'cancel_letter', { letter_id: id }, false);
    wrote(got, [200]);
    Object.assign(letters.get(id) as Letter, { status: 'cancelled', total: 0 });
  };

  const makeKey = async (): Promise<void> => {
    const body = { label: 'more', scope: 'read' };
    const made = wrote(await callRest(caller(), 'POST', '/auth/keys', body), [201]);
    keys.add(String(made.id));
  };

  const revokeKey = async (): Promise<void> => {
    const id = pick([...keys]);
    wrote(await callRest(caller(), 'DELETE', `/auth/keys/${id}`), [200]);
    keys.delete(id);
  };

  const issueUcan = async (): Promise<void> => {
    const body = { scope: 'read', expires_in: 3_600 };
    const made = wrote(await callRest(caller(), 'POST', '/api/identity/ucan', body), [201]);
    ucans.add(String(made.cid));
  };

  const accept = async (): Promise<void> => {
    const asked = { intent: 'transactional', to_country: 'DE', pages: 1 };
    const offered = await callRest(caller(), 'POST', '/api/anp/offer', asked);
    expect(offered.status, JSON.stringify(offered.body)).to.equal(200);
    const body = { offer_id: offered.body.offer_id, tier: 'standard' };
    const made = wrote(await callRest(caller(), 'POST', '/api/anp/accept', body), [201]);
    commitments.add(String(made.commitment_id));
  };

  /** It can be changed five times a day. */
  const setEmail = async (): Promise<void> => {
    const email = `${++emails}@example.com`;
    wrote(await callRest(caller(), 'PUT', '/api/settings', { notification_email: email }), [200]);
    model.email = email;
  };

  /** The writes that are possible next. */
  const writes = (): (() => Promise<void>)[] => [
    ...[send, send, send, makeKey, issueUcan, accept],
    ...(queued().length > 0 ? [rename, cancel] : []),
    ...(keys.size > 0 ? [revokeKey] : []),
    ...(emails < 5 ? [setEmail] : []),
  ];

  /** Reads once; `check` looks at an answer that is not late. */
  const read = async (
    path: string,
    tool: { name: string; args: object } | undefined,
    check: (body: Json) => void,
  ): Promise<void> => {
    const got =
      tool && way() === 'mcp'
        ? await callMcp(caller(), tool.name, tool.args, true)
        : await callRest(caller(), 'GET', path);
    if (got.late) {
      late++;
      return;
    }
    expect(got.status, `${path}: ${JSON.stringify(got.body)}`).to.equal(200);
    check(got.body);
  };

  const readLetter = async (): Promise<void> => {
    const [id = '', { status, name } = pick([])] = pick([...letters]);
    await read(`/api/letters/${id}`, { name: 'get_letter', args: { letter_id: id } }, (body) => {
      expect(body).to.include({ letter_id: id, status, to_name: name });
    });
  };
  const track = async (): Promise<void> => {
    const [id = '', { status } = pick([])] = pick([...letters]);
    const tool = { name: 'track_letter', args: { letter_id: id } };
    await read(`/api/track/${id}`, tool, (body) => expect(body.status).to.equal(status));
  };
  const list = (): Promise<void> =>
    read('/api/letters?limit=100', { name: 'list_letters', args: { limit: 100 } }, (body) => {
      const listed = (body.data as Json[]).map((one) => `${one.letter_id} ${one.status}`);
      const known = [...letters].map(([id, { status }]) => `${id} ${status}`);
      expect(listed).to.have.members(known);
    });
  const readBalance = (): Promise<void> =>
    read('/api/balance', { name: 'get_balance', args: {} }, ({ held }) => {
      const reserved = [...letters.values()].reduce((sum, { total }) => sum + total, 0);
      expect(held).to.be.closeTo(reserved, 0.001);
    });
  const listKeys = (): Promise<void> =>
    read('/auth/keys', undefined, (body) => {
      expect(idsIn(body, 'id'))
        .to.include.members([...keys])
        .and.to.have.length(keys.size + 1);
    });
  const listUcans = (): Promise<void> =>
    read('/api/identity/ucan?limit=100', undefined, (body) => {
      expect(idsIn(body, 'cid')).to.have.members([...ucans]);
    });
  const listCommitments = (): Promise<void> =>
    read('/api/anp/commitments?limit=100', undefined, (body) => {
      expect(idsIn(body, 'commitment_id')).to.have.members([...commitments]);
    });
  const readCommitment = async (): Promise<void> => {
    const id = pick([...commitments]);
    await read(`/api/anp/commitments/${id}`, undefined, (body) =>
      expect(body.commitment_id).to.equal(id),
    );
  };
  const readSettings = (): Promise<void> =>
    read('/api/settings', undefined, (body) =>
      expect(body.notification_email).to.equal(model.email),
    );

  const reads = (): (() => Promise<void>)[] => [
    ...[list, readBalance, listKeys, listUcans, listCommitments, readSettings],
    ...(letters.size > 0 ? [readLetter, track] : []),
    ...(commitments.size > 0 ? [readCommitment] : []),
  ];

  return {
    /** Writes, and reads at once what may show it. */
    async step(): Promise<void> {
      await pick(writes())();
      await pick(reads())();
    },
    /** Reads that said that they are late. */
    late: () => late,
  };
};
