/** Chains of delegations drawn by seed, judged from outside: by the answers to each token. */
import { expect } from 'chai';
import type { Static } from 'typebox';
import { ed25519FromSeed, type SigningKey } from '../../identity/keys.ts';
import { type Capabilities, type Caveat, issueUcan } from '../../identity/ucan/token.ts';
import type { IssuedUcan } from '../../presenters/ucan.ts';
import { letterTo, useService } from '../support/client.ts';
import { creditWallet } from '../support/foundation.ts';
import { createMovedClock } from '../support/moved-clock.ts';
import { seeded } from '../support/seeded.ts';
import { signRevocation } from '../support/sign-revocation.ts';

type Issued = Static<typeof IssuedUcan>;
type Account = { key: string; account: { account_id: string } };
type Token = {
  token: string;
  cid: string;
  cap: Capabilities;
  exp: number;
  /** The key that may delegate it. */
  holder: SigningKey;
  parent: Token | undefined;
};

const runs = 12;
const depth = 4;
const startsAt = '2026-11-20T10:00:00Z';
const startSeconds = Date.parse(startsAt) / 1_000;

const holders = Array.from({ length: 6 }, (_, n) => ed25519FromSeed(Buffer.alloc(32, 60 + n)));

const requests = [
  ...(['DE', 'FR', 'GB'] as const).map((country) => ({
    what: `quote ${country}`,
    method: 'POST',
    path: '/api/quote',
    body: { to_country: country, pages: 1 },
  })),
  ...(['DE', 'FR', 'GB'] as const).map((country) => ({
    what: `send ${country}`,
    method: 'POST',
    path: '/api/send',
    body: letterTo(country),
  })),
  { what: 'list', method: 'GET', path: '/api/letters', body: undefined },
  { what: 'balance', method: 'GET', path: '/api/balance', body: undefined },
  { what: 'keys', method: 'GET', path: '/auth/keys', body: undefined },
] as const;

/** The choices that a seed makes. */
const choicesOf = (random: () => number) => {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const some = <T>(list: readonly T[]): T[] => {
    const chosen = list.filter(() => random() < 0.6);
    return chosen.length > 0 ? chosen : [pick(list)];
  };
  const mapCaveats = (cap: Capabilities, change: (caveat: Caveat) => Caveat): Capabilities =>
    Object.fromEntries(
      Object.entries(cap).map(([resource, given]) => [
        resource,
        Object.fromEntries(
          Object.entries(given).map(([ability, caveats]) => [ability, caveats.map(change)]),
        ),
      ]),
    );
  const withLess = (caveat: Caveat): Caveat => {
    const { countries, max_total_minor: max } = caveat;
    const fewer = Array.isArray(countries) ? some(countries) : some(['DE', 'FR', 'GB']);
    const lower = typeof max === 'number' ? max - 1 : pick([100, 2_000]);
    return {
      ...caveat,
      ...(countries !== undefined || random() < 0.4 ? { countries: fewer } : {}),
      ...(max !== undefined || random() < 0.4 ? { max_total_minor: lower } : {}),
    };
  };
  /** As much or less: some abilities of the token before, with narrower caveats. */
  const narrowed = (cap: Capabilities): Capabilities =>
    mapCaveats(
      Object.fromEntries(
        Object.entries(cap).map(([resource, given]) => [
          resource,
          Object.fromEntries(some(Object.entries(given))),
        ]),
      ),
      withLess,
    );
  /** The same with one difference: a caveat is wider or gone, or the abilities are others. */
  const widened = (cap: Capabilities): Capabilities => {
    const kind = pick(['countries', 'max_total_minor', 'none', 'abilities']);
    if (kind === 'abilities') {
      const abilities = some(['letters/*', 'letters/send', 'letters/read', 'letters/manage', '*']);
      const [[resource = '', given = {}] = []] = Object.entries(cap);
      const [caveats = [{}]] = Object.values(given);
      return { [resource]: Object.fromEntries(abilities.map((one) => [one, caveats])) };
    }
    return mapCaveats(cap, (caveat) => {
      if (kind === 'none') return {};
      const { [kind]: changed, ...rest } = caveat;
      if (random() < 0.5) return rest;
      const wide = kind === 'countries' ? ['DE', 'FR', 'GB'] : 5_000;
      return { ...rest, [kind]: changed === undefined ? [] : wide };
    });
  };
  return { narrowed, widened };
};

const signedBy = (holder: SigningKey, cid: string) => {
  const { iss, challenge } = signRevocation(cid, holder);
  return { iss, challenge };
};

describe('tokens that are delegated again and again', function () {
  this.timeout(240_000);
  const { clock, moveTo } = createMovedClock(startsAt);
  const api = useService({}, { clock });

  const rich = async (): Promise<Account> => {
    const account = await api.register('test');
    const { commands } = api.service().service.foundation;
    await creditWallet(commands, account.account.account_id, 900_000_000n);
    return account;
  };
  const chainOf = (token: Token | undefined): Token[] =>
    token ? [token, ...chainOf(token.parent)] : [];

  const answerTo = async (token: Token, { method, path, body }: (typeof requests)[number]) => {
    const [, ...proofs] = chainOf(token);
    const headers: Record<string, string> =
      proofs.length > 0 ? { ucans: proofs.map((one) => one.token).join(',') } : {};
    const key = `ucan:${token.token}`;
    const { status, text } = await api.call(method, path, body, { key, headers });
    expect(status, text).to.be.below(500);
    return status;
  };
  const answersTo = async (token: Token): Promise<number[]> => {
    const statuses: number[] = [];
    for (const request of requests) statuses.push(await answerTo(token, request));
    return statuses;
  };
  const isRefused = (statuses: readonly number[]): boolean =>
    statuses.every((status) => status === 401);

  const rootOf = async ({ key, account }: Account, cap: Capabilities): Promise<Token> => {
    const [holder] = holders as [SigningKey];
    const made = await api.call<Issued>(
      'POST',
      '/api/identity/delegate',
      { audience: holder.did, capabilities: cap, expires_in: 7_200 },
      { key },
    );
    expect(made.status, `${account.account_id} ${made.text}`).to.equal(201);
    const exp = Date.parse(made.body.expires_at ?? '') / 1_000;
    return { token: made.body.token, cid: made.body.cid, cap, exp, holder, parent: undefined };
  };
  const childOf = (
    parent: Token,
    changes: Partial<Pick<Token, 'cap' | 'exp'>> & { by?: SigningKey; nbf?: number } = {},
  ): Token => {
    const { cap = parent.cap, exp = parent.exp, by = parent.holder, nbf } = changes;
    const holder = holders[chainOf(parent).length] as SigningKey;
    const payload = { aud: holder.did, cap, exp, prf: [parent.cid], ...(nbf ? { nbf } : {}) };
    return { ...issueUcan(payload, by), cap, exp, holder, parent };
  };

  for (let seed = 1; seed <= runs; seed += 1) {
    it(`never reach what the token before does not (seed ${seed})`, async () => {
      const { narrowed, widened } = choicesOf(seeded(seed));
      const owner = await rich();
      const resource = `letters://${owner.account.account_id}/`;
      let parent = await rootOf(owner, {
        [resource]: { 'letters/send': [{}], 'letters/read': [{}] },
      });
      let before = await answersTo(parent);
      const allowed = before.filter((status) => status < 300).length;
      expect(allowed, 'the root sends, quotes and lists').to.be.at.least(7);
      for (let level = 1; level <= depth; level += 1) {
        const wider = childOf(parent, { cap: widened(parent.cap) });
        const honest = childOf(parent, { cap: narrowed(parent.cap) });
        for (const token of [wider, honest]) {
          const after = await answersTo(token);
          const gained = requests.filter(
            (_, n) => (after[n] ?? 0) < 300 && (before[n] ?? 0) >= 300,
          );
          expect(
            gained.map(({ what }) => what),
            JSON.stringify([parent.cap, token.cap]),
          ).to.deep.equal([]);
          if (token !== honest) continue;
          expect(isRefused(after), `narrowed: ${JSON.stringify(token.cap)}`).to.equal(false);
          before = after;
        }
        parent = honest;
      }
    });

    it(`are refused with a link that is wrong, whatever they allow (seed ${seed})`, async () => {
      const random = seeded(seed + 1_000);
      const [owner, other] = [await rich(), await rich()];
      const cap = { [`letters://${owner.account.account_id}/`]: { 'letters/*': [{}] } };
      const theirs = { [`letters://${other.account.account_id}/`]: { 'letters/*': [{}] } };
      const root = await rootOf(owner, cap);
      const foreign = await rootOf(other, theirs);
      const stranger = ed25519FromSeed(Buffer.alloc(32, 99));
      const honestDown = (from: Token, levels: number): Token =>
        levels <= 0 ? from : honestDown(childOf(from), levels - 1);
      const place = Math.floor(random() * 2);
      const from = honestDown(root, place);
      const wrong: Record<string, Token> = {
        'signed by somebody else': childOf(from, { by: stranger }),
        'signed by the holder of another link': childOf(from, { by: holders[5] as SigningKey }),
        'later than its proof': childOf(from, { exp: from.exp + 1 }),
        'proved by a token of another account': childOf(
          { ...foreign, holder: from.holder },
          { cap },
        ),
        'without a proof': {
          ...issueUcan({ aud: from.holder.did, cap, exp: from.exp }, from.holder),
          cap,
          exp: from.exp,
          holder: from.holder,
          parent: undefined,
        },
        'not valid yet': childOf(from, { nbf: startSeconds + 3_600 }),
      };
      for (const [what, token] of Object.entries(wrong)) {
        for (const leaf of [token, childOf(token), childOf(childOf(token))]) {
          expect(await answersTo(leaf), what).to.satisfy(isRefused);
        }
      }
      expect(await answersTo(honestDown(from, 2))).not.to.satisfy(isRefused);
    });
  }

  it('end with a revocation anywhere before them, and leave what stands above', async () => {
    for (let at = 0; at < depth; at += 1) {
      const owner = await rich();
      const cap = { [`letters://${owner.account.account_id}/`]: { 'letters/*': [{}] } };
      const tokens = [await rootOf(owner, cap)];
      while (tokens.length < depth) tokens.push(childOf(tokens.at(-1) as Token));
      const sibling = childOf(tokens[0] as Token, { exp: (tokens[0] as Token).exp - 1 });
      for (const token of tokens) expect(await answersTo(token)).not.to.satisfy(isRefused);
      const { token, cid, parent } = tokens[at] as Token;
      const body = parent ? { cid, token, ...signedBy(parent.holder, cid) } : { cid };
      const proofs = chainOf(parent).map((one) => one.token);
      const path = '/api/identity/ucan/revoke';
      const revoked = await api.call('POST', path, { ...body, proofs }, { key: owner.key });
      expect(revoked.status, revoked.text).to.equal(200);
      for (const [index, one] of tokens.entries()) {
        expect(isRefused(await answersTo(one)), `${index} after ${at}`).to.equal(index >= at);
      }
      expect(isRefused(await answersTo(sibling)), `sibling after ${at}`).to.equal(at === 0);
    }
  });

  it('end when any token before them expires', async () => {
    const owner = await rich();
    const cap = { [`letters://${owner.account.account_id}/`]: { 'letters/*': [{}] } };
    const root = await rootOf(owner, cap);
    const middle = childOf(root, { exp: startSeconds + 1_800 });
    const leaf = childOf(middle);
    expect(await answersTo(leaf)).not.to.satisfy(isRefused);
    moveTo('2026-11-20T10:30:01Z');
    expect(await answersTo(leaf)).to.satisfy(isRefused);
    expect(await answersTo(middle)).to.satisfy(isRefused);
    expect(await answersTo(root)).not.to.satisfy(isRefused);
    moveTo(startsAt);
  });
});
