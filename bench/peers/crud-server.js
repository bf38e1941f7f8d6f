/**
 * The CRUD version of sending a letter: one transaction on four tables through a pool of 20. It does not
 * validate, price, encrypt, deduplicate or project, and takes the bearer token for the account's id.
 * Started with a channel: takes `{ url, accounts, balanceMicro }`, answers `{ port }`.
 */
import { randomUUID } from 'node:crypto';
import knexOf from 'knex';
import Koa from 'koa';

const priceMicro = 1_500_000;
const pool = 20;

const schema = `
create table wallets (account_id text primary key, balance_micro bigint not null);
create table letters (
  id uuid primary key, account_id text not null, status text not null, service text not null,
  to_name text, to_line1 text, to_city text, to_state text, to_postal_code text, to_country text,
  from_name text, from_line1 text, from_city text, from_state text, from_postal_code text,
  from_country text, content text not null, price_micro bigint not null,
  created_at timestamptz not null default now()
);
create index on letters (account_id, created_at);
create table wallet_entries (
  id bigserial primary key, account_id text not null, letter_id uuid not null,
  amount_micro bigint not null, created_at timestamptz not null default now()
);
create index on wallet_entries (account_id, id);`;

const readJson = async (request) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
};

const send = (knex, accountId, letter) =>
  knex.transaction(async (tx) => {
    const wallet = await tx('wallets').where({ account_id: accountId }).forUpdate().first();
    if (!wallet || Number(wallet.balance_micro) < priceMicro) return undefined;
    const id = randomUUID();
    await tx('letters').insert({
      ...letter,
      id,
      account_id: accountId,
      status: 'queued',
      price_micro: priceMicro,
    });
    await tx('wallets')
      .where({ account_id: accountId })
      .update({ balance_micro: Number(wallet.balance_micro) - priceMicro });
    await tx('wallet_entries').insert({
      account_id: accountId,
      letter_id: id,
      amount_micro: -priceMicro,
    });
    return id;
  });

const serve = (knex) => {
  const app = new Koa();
  app.use(async (context) => {
    const accountId = context.get('authorization').slice('Bearer '.length);
    if (context.method === 'POST') {
      const id = await send(knex, accountId, await readJson(context.req));
      context.status = id ? 201 : 402;
      context.body = id
        ? { letter_id: id, status: 'queued', total: priceMicro / 1e6 }
        : { error: 'insufficient funds' };
      return;
    }
    const id = context.path.slice('/api/letters/'.length);
    const letter = await knex('letters').where({ id, account_id: accountId }).first();
    context.status = letter ? 200 : 404;
    context.body = letter ?? { error: 'not found' };
  });
  return app;
};

const start = async ({ url, accounts, balanceMicro }) => {
  const knex = knexOf({ client: 'pg', connection: url, pool: { min: pool, max: pool } });
  await knex.raw(schema);
  const rows = accounts.map((id) => ({ account_id: id, balance_micro: balanceMicro }));
  await knex.batchInsert('wallets', rows);
  const server = serve(knex).listen(0, '127.0.0.1', () => {
    process.send({ port: server.address().port });
  });
};

process.once('message', (options) => {
  start(options).catch((error) => {
    console.error(error);
    process.exit(1);
  });
});
process.on('disconnect', () => process.exit(0));
