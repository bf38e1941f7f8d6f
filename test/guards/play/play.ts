/**
 * One run by seed: an owner, agents with keys and chains of UCANs, and approvers act on several processes at once,
 * which are killed now and then. In the end everything that is left over is settled, and the log is judged.
 */

import { accountAggregate } from '../../../commands/accounts/account.ts';
import { createKey, rotateKey } from '../../../commands/accounts/keys.ts';
import { registerAccount } from '../../../commands/accounts/registration.ts';
import { freeze, unfreeze } from '../../../commands/guards/freeze.ts';
import { setPolicy } from '../../../commands/guards/set-policy.ts';
import type { SendOptions } from '../../../commands/letters/accept-letter.ts';
import { expireApproval } from '../../../commands/letters/decide-approval.ts';
import { settleWallet } from '../../../commands/letters/follow-up.ts';
import { creditGoodwill, goodwillCredits } from '../../../commands/letters/goodwill.ts';
import {
  answerRecall,
  cancelLetter,
  eraseLetter,
  letterAggregate,
} from '../../../commands/letters/letter.ts';
import { updateLetter } from '../../../commands/letters/letter-drafts.ts';
import { reportProgress, startProduction } from '../../../commands/letters/letter-production.ts';
import type { SendContext } from '../../../commands/letters/pay-letter.ts';
import { letterIdOf } from '../../../commands/letters/send-letter.ts';
import { operatorApprover } from '../../../commands/policies/approvers.ts';
import { chargeBackFunds, creditAndHold, creditFunds } from '../../../commands/wallets/credits.ts';
import { openWallet, walletAggregate } from '../../../commands/wallets/wallet.ts';
import { isAppError } from '../../../contract/errors.ts';
import { decodeEvent } from '../../../events/envelope.ts';
import type { WalletEvent } from '../../../events/wallet.ts';
import { uuidv5 } from '../../../ground/uuid.ts';
import { splitCharge } from '../../../money/charge.ts';
import { pick } from '../../simulation/schedule.ts';
import { rejectionOf } from '../../support/decider-spec.ts';
import { digest } from '../../support/digest.ts';
import { aloneLease } from '../../support/lease.ts';
import { letterTo, newYork } from '../../support/letter-world.ts';
import { type Cast, type Credential, createCast } from './cast.ts';
import { allowedBy, permissionOf } from './caveats.ts';
import { problemsOf } from './checks.ts';
import { type Agreed, acceptSome } from './offers.ts';
import { policyOf } from './rules.ts';
import { account, type Broken, createWorld, type Process, type Told, type World } from './world.ts';

const hourMs = 3_600_000;
const namespace = '0b6c6a52-7d5c-5a3e-9d55-2f8d9b1c7e11';
const berlin = {
  name: 'Ada Lovelace',
  line1: 'Pariser Platz 1',
  city: 'Berlin',
  postalCode: '10117',
  country: 'DE' as const,
};
/** A wallet that pays by x402 and has no key: the policy of the account applies to it. */
const payerName = 'payer';
const places = [{}, berlin, newYork];

export type Outcome = { problems: string[]; counts: Record<string, number> };

/** `calm`: nothing is killed or changed. */
type Run = {
  world: World;
  cast: Cast;
  processes: Process[];
  told: Told;
  /** Accepted offers, whose prices are locked. */
  agreed: Agreed[];
  calm: boolean;
  next: () => number;
};

const ask = (run: Run): Process => pick(run.world.random, run.processes);

const commandOf = (run: Run) => uuidv5(namespace, `${run.next()}`);

const hold = (actor: string, run: Run) => ({ commandId: commandOf(run), actor });

const secretOf = (keyId: string) => ({
  keyId,
  secretHash: digest(keyId),
  prefix: 'svc_live_abc',
  label: keyId,
  scope: 'full' as const,
});

const addKey = async (run: Run, keyId: string, maker?: Credential): Promise<Credential> => {
  const madeBy = maker?.keyIds[0];
  const boundTo =
    maker === undefined || maker.keyIds.length < 2
      ? undefined
      : {
          keys: maker.keyIds.filter((id) => !id.startsWith('ucan:')),
          ucans: maker.keyIds.filter((id) => id.startsWith('ucan:')).map((id) => id.slice(5)),
        };
  const key = {
    ...secretOf(keyId),
    ...(madeBy ? { madeBy } : {}),
    ...(boundTo ? { boundTo } : {}),
  };
  const command = {
    type: 'CreateKey' as const,
    key,
    makerScope: 'full' as const,
    requestHash: digest(keyId),
    maxKeys: 50,
    at: '2026-03-30T20:40:00.000Z',
  };
  await ask(run).handler.handle(accountAggregate, account, hold('owner', run), (state) =>
    createKey(state, command),
  );
  const bound = boundTo ? [...boundTo.keys, ...boundTo.ucans.map((cid) => `ucan:${cid}`)] : [];
  const credential = {
    name: keyId,
    keyIds: [keyId, ...bound],
    hasFullScope: true,
  };
  return run.cast.add(credential, { bound, ...(madeBy ? { madeBy } : {}) });
};

const rotate = async (run: Run, old: Credential, maker: Credential): Promise<void> => {
  const oldId = old.keyIds[0] as string;
  const keyId = `key_r${run.next()}`;
  const command = {
    type: 'RotateKey' as const,
    keyId: oldId,
    key: secretOf(keyId),
    requestHash: digest(keyId),
    maker: { keyId: maker.keyIds[0] as string },
    at: '2026-03-30T20:40:00.000Z',
  };
  const work = ask(run).handler.handle(accountAggregate, account, hold(maker.name, run), (state) =>
    rotateKey(state, command),
  );
  if ((await rejectionOf(work)) !== undefined) return;
  const node = run.cast.keys.get(oldId);
  const itself = old === maker;
  const madeBy = itself ? node?.madeBy : maker.keyIds[0];
  run.cast.add(
    { name: keyId, keyIds: [keyId, ...(node?.bound ?? [])], hasFullScope: old.hasFullScope },
    { rotatedFrom: oldId, bound: node?.bound ?? [], ...(madeBy ? { madeBy } : {}) },
  );
};

/** Credits by an operator or a payer. */
const fund = (run: Run, cents: number) =>
  ask(run).handler.handle(walletAggregate, account, hold('operator', run), (wallet) => [
    ...openWallet(wallet, { type: 'OpenWallet', accountId: account, test: false }),
    ...creditFunds(wallet, {
      type: 'CreditFunds',
      receipt: { method: 'operator', id: `receipt ${run.next()}` },
      bucket: run.world.random() < 0.5 ? 'fiat' : 'crypto',
      amountMicro: BigInt(cents) * 10_000n,
    }),
  ]);

/** A dispute over a credit, or over a part of it. The wallet may fall below zero, and is topped up sometimes. */
const dispute = async (run: Run): Promise<void> => {
  const { random } = run.world;
  const [which, share, id] = [random(), random(), `dispute ${run.next()}`];
  await ask(run).handler.handle(walletAggregate, account, hold('provider', run), (wallet) => {
    const credits = [...wallet.receipts].filter(([, credit]) => credit.reversibleMicro > 0n);
    const [creditId, credit] = credits[Math.floor(which * credits.length)] ?? [];
    if (creditId === undefined || credit === undefined) return [];
    const cents = BigInt(Math.floor(Number(credit.reversibleMicro / 10_000n) * share));
    const amountMicro = share > 0.5 || cents === 0n ? credit.reversibleMicro : cents * 10_000n;
    const receipt = { method: 'card' as const, id };
    return chargeBackFunds(wallet, { type: 'ChargeBackFunds', receipt, creditId, amountMicro });
  });
  if (random() < 0.7) await fund(run, 3_000);
};

/** The books of the wallet are closed, however few events they have. */
const closeBooks = async (run: Run): Promise<void> => {
  const { books } = walletAggregate;
  if (!books) return;
  const closing: typeof walletAggregate = {
    ...walletAggregate,
    books: {
      ...books,
      close: ({ status }, period) =>
        status === 'open' ? [{ type: 'WalletPeriodClosed', data: { nextPeriod: period + 1 } }] : [],
    },
  };
  await rejectionOf(
    ask(run).handler.handle(closing, account, hold('books', run), (wallet) =>
      creditFunds(wallet, {
        type: 'CreditFunds',
        receipt: { method: 'operator', id: `cent ${run.next()}` },
        bucket: 'fiat',
        amountMicro: 10_000n,
      }),
    ),
  );
};

/** The operator pays a posted letter back, once. */
const payBack = async (run: Run, letterId: string): Promise<void> => {
  const { handler } = ask(run);
  const { state } = await handler.load(letterAggregate, letterId);
  if (state.status !== 'posted') return;
  const credits = goodwillCredits(letterId, state, undefined);
  await handler.handle(walletAggregate, account, hold('operator', run), (wallet) =>
    creditGoodwill(wallet, credits, (reference) => `goodwill ${reference}`),
  );
};

const register = async (run: Run): Promise<void> => {
  const owner = 'key_owner';
  await ask(run).handler.handle(accountAggregate, account, hold('owner', run), (state) =>
    registerAccount(state, {
      type: 'RegisterAccount',
      accountId: account,
      kind: 'email',
      test: false,
      name: 'owner@example.com',
      requestHash: digest('register'),
      key: secretOf(owner),
    }),
  );
  run.cast.add({ name: owner, keyIds: [owner], hasFullScope: true }, { bound: [] });
  await fund(run, 6_000);
};

/** The actors: agents, their delegates, and approvers of different closeness. */
const enter = async (run: Run): Promise<void> => {
  const { cast } = run;
  await register(run);
  const owner = cast.credentials.get('key_owner') as Credential;
  const [a, b] = [await addKey(run, 'key_a', owner), await addKey(run, 'key_b', owner)];
  await addKey(run, 'key_a1', a);
  cast.add({
    name: 'ucan:the-first-ucan',
    keyIds: ['ucan:the-first-ucan', ...a.keyIds],
    hasFullScope: false,
  });
  const u2 = {
    name: 'ucan:the-second-ucan',
    keyIds: ['ucan:the-second-ucan', ...a.keyIds, 'ucan:the-first-ucan'],
    hasFullScope: false,
  };
  await addKey(run, 'key_u', cast.add(u2));
  await addKey(run, 'key_c', owner);
  await addKey(run, 'key_d');
  cast.add({ name: 'operator', keyIds: [], hasFullScope: false });
  cast.add({ name: payerName, keyIds: [], hasFullScope: false });
  if (run.world.random() < 0.3) await rotate(run, b, b);
};

const contextOf = (run: Run, who: Credential, more: Partial<SendContext> = {}): SendContext => ({
  commandId: commandOf(run),
  actor: who.name,
  accountId: account,
  test: false,
  requestHash: digest('request', String(run.next())),
  repeatable: true,
  keyIds: run.world.broken.forgetsCredential ? [] : who.keyIds,
  permission: permissionOf(ask(run), who.name),
  ...more,
});

const inputOf = ({ world: { random } }: Run) => {
  const text = random() < 0.3 ? 'A long page. '.repeat(900) : 'Bonjour.';
  return letterTo(pick(random, places), {
    content: { kind: 'text', text },
    ...(random() < 0.3 ? { reference: 'Invoice' } : {}),
  });
};

const plain: SendOptions = { draft: false, holdWithoutFunds: false };

/** Credentials that can send for an account, and the wallet without a key. */
const sendersIn = ({ cast }: Run): Credential[] =>
  [...cast.credentials.values()].filter(({ name }) => name !== 'operator');

/** The price of an offer that was accepted for this letter, or before for several. */
const agreedFor = async (run: Run, who: Credential): Promise<Agreed> => {
  const { random } = run.world;
  if (run.agreed.length > 0 && random() < 0.6) return pick(random, run.agreed);
  const agreed = await acceptSome(ask(run), run.world, hold(who.name, run));
  run.agreed.push(agreed);
  return agreed;
};

const paths = ['rest', 'rest', 'draft', 'mech', 'x402', 'offer'] as const;

/** REST and MCP; drafts; the mech, which cannot wait; x402, whose money comes with the letter; accepted offers. */
const send = async (run: Run, who: Credential): Promise<void> => {
  const { world } = run;
  const { letters } = ask(run);
  const context = contextOf(run, who);
  const path = who.name === payerName ? 'x402' : pick(world.random, paths);
  if (path === 'x402') await rejectionOf(fund(run, 400));
  const agreed = path === 'offer' ? { commitment: await agreedFor(run, who) } : {};
  const options = {
    ...plain,
    ...agreed,
    draft: path === 'draft',
    ...(path === 'mech' ? { refuseHolds: true } : {}),
  };
  const input = path === 'offer' ? letterTo() : inputOf(run);
  await rejectionOf(letters.send(input, options, context));
  // The same request again, on another process.
  if (world.random() < 0.3) await rejectionOf(ask(run).letters.send(input, options, context));
  if (path !== 'draft') return;
  // A draft can be sent by others of the account than the one that made it.
  const sender = world.random() < 0.6 ? who : pick(world.random, sendersIn(run));
  const sendDraft = () =>
    rejectionOf(
      ask(run).letters.sendDraft(letterIdOf(context.commandId), plain, contextOf(run, sender)),
    );
  const times = world.random() < 0.7 ? 1 : 3;
  await Promise.all(Array.from({ length: times }, sendDraft));
};

/** An order: a draft whose payment is held for it, and that is sent with that money. */
const order = async (run: Run, who: Credential): Promise<void> => {
  const drafting = contextOf(run, who);
  const options = { ...plain, draft: true, draftFor: 'fiat' as const };
  const { letters, handler } = ask(run);
  const letterId = letterIdOf(drafting.commandId);
  const drafted = await letters.send(inputOf(run), options, drafting).catch((error: unknown) => {
    if (!isAppError(error)) throw error;
    return undefined;
  });
  if (!drafted) return;
  const subtotalMicro = 3_000_000n;
  const charge = splitCharge(subtotalMicro, 0n);
  const purpose = { kind: 'order' as const, id: letterId };
  const commissionMicro = charge.commission.fiat;
  const credit = {
    type: 'CreditFunds' as const,
    receipt: { method: 'card' as const, id: `order ${letterId}` },
    bucket: 'fiat' as const,
    amountMicro: subtotalMicro + commissionMicro,
  };
  await handler.handle(walletAggregate, account, hold('payments', run), (wallet) =>
    creditAndHold(wallet, credit, { purpose, attemptId: letterId, commissionMicro }),
  );
  const sending = contextOf(run, who, { paidFrom: purpose });
  await rejectionOf(ask(run).letters.sendDraft(letterId, plain, sending));
};

const lettersIn = async ({ world }: Run): Promise<string[]> => {
  const events = await world.store.readAll({ after: 0n, limit: 100_000 });
  const streams = new Set(events.map(({ stream }) => stream));
  return [...streams].filter((one) => one.startsWith('letter-')).map((one) => one.slice(7));
};

/** A letter that something happened to, the latest more often. */
const someLetter = async (run: Run, wanted?: string): Promise<string | undefined> => {
  const { random, store } = run.world;
  const events = await store.readAll({ after: 0n, limit: 100_000 });
  const found = events.filter(
    ({ stream, type }) => stream.startsWith('letter-') && (wanted === undefined || type === wanted),
  );
  const latest = random() < 0.6 ? found.slice(-6) : found;
  return latest.length === 0 ? undefined : pick(random, latest).stream.slice(7);
};

const settle = (run: Run, letterId: string) =>
  settleWallet({ handler: ask(run).handler }, letterId, hold('settling', run), account);

const cancel = async (run: Run, letterId: string): Promise<void> => {
  const { handler } = ask(run);
  const context = hold('somebody', run);
  const refused = await rejectionOf(
    handler.handle(letterAggregate, letterId, context, cancelLetter),
  );
  if (refused !== undefined) return;
  const { random } = run.world;
  // The print house answers for a letter in production.
  if (random() < 0.8) {
    const answer = { type: 'AnswerRecall' as const, accepted: random() < 0.7, reason: 'printed' };
    await handler.handle(letterAggregate, letterId, hold('production', run), (letter) =>
      answerRecall(letter, answer),
    );
  }
  if (random() < 0.8) await settle(run, letterId);
  if (random() < 0.2) {
    await rejectionOf(
      handler.handle(letterAggregate, letterId, hold('somebody', run), (letter) =>
        eraseLetter(letter, { type: 'EraseLetter', reason: 'deleted' }),
      ),
    );
  }
  if (!run.world.broken.returnsTwice) return;
  await handler.handle(walletAggregate, account, hold('settling', run), (wallet): WalletEvent[] => {
    const held = [...wallet.reservations.values()].find(({ state }) => state === 'held');
    if (!held) return [];
    const { crypto, fiat, purpose } = held;
    const amounts = { cryptoMicro: Number(crypto), fiatMicro: Number(fiat) };
    return [{ type: 'FundsReleased', data: { purpose, ...amounts } }];
  });
};

const change = async (run: Run, who: Credential, letterId: string): Promise<void> => {
  const { random, broken } = run.world;
  const { letters, handler } = ask(run);
  const to = pick(random, [{}, { name: 'Mallory' }, ...places.map((one) => letterTo(one).to)]);
  const changes = {
    to,
    ...(random() < 0.4 ? { reference: `You are dismissed ${run.next()}` } : {}),
    ...(random() < 0.2 ? { metadata: { seen: `${run.next()}` } } : {}),
    acceptAddressAsIs: false,
  };
  if (broken.forgetsChanges) {
    await rejectionOf(
      handler.handle(letterAggregate, letterId, hold(who.name, run), (letter) => {
        if (letter.status === 'none' || !letter.personal) return [];
        const personal = { ...letter.personal, reference: 'You are dismissed' };
        const { terms } = letter;
        return updateLetter(letter, {
          type: 'UpdateLetter',
          terms,
          personal,
          changed: ['reference'],
        });
      }),
    );
    return;
  }
  const refused = await rejectionOf(
    letters.update(letterId, changes, contextOf(run, who), undefined),
  );
  if (refused === undefined && random() < 0.8) await settle(run, letterId);
};

/** Changes of a letter: one, several to and fro, or several at once. */
const changeSome = async (run: Run, who: Credential, letterId: string): Promise<void> => {
  const { random } = run.world;
  const kind = random();
  const count = kind < 0.4 ? 1 : 2 + Math.floor(random() * 3);
  if (kind > 0.7) {
    await Promise.all(Array.from({ length: count }, () => change(run, who, letterId)));
    return;
  }
  for (let n = 0; n < count; n++) await change(run, who, letterId);
};

const decide = async (run: Run, who: Credential, letterId: string): Promise<void> => {
  const { letters, handler, lines } = ask(run);
  const { state } = await handler.load(letterAggregate, letterId);
  const approvalId = state.status === 'none' ? undefined : state.approval?.approvalId;
  if (approvalId === undefined) return;
  const isOperator = who.name === 'operator';
  const known = isOperator ? undefined : await lines.load(account, who.keyIds);
  const credential =
    known && !run.world.broken.forgetsLines ? known : { own: [], line: [] as string[] };
  const approver = isOperator ? operatorApprover : (known?.own[0] ?? '');
  const deciding = { approver, credential, hasFullScope: who.hasFullScope };
  const context = hold(who.name, run);
  if (run.world.random() < 0.15) {
    await rejectionOf(
      letters.approvals.reject(account, approvalId, { ...deciding, reason: undefined }, context),
    );
  } else await rejectionOf(letters.approvals.approve(account, approvalId, deciding, context));
};

const govern = async (run: Run): Promise<void> => {
  const { random } = run.world;
  const subject = pick(random, [
    'account',
    'key_a',
    'key_b',
    'ucan:the-first-ucan',
    'ucan:the-second-ucan',
  ]);
  const who = pick(
    random,
    sendersIn(run).filter(({ name }) => name !== payerName),
  );
  const byOwner = random() < 0.7;
  const subjects = byOwner ? [] : [...run.cast.lineOf(who)];
  const maker = { subjects, mayRaise: byOwner };
  const wanted = policyOf(random, random() < 0.5 ? ['key_c', 'key_d'] : ['key_a1', 'key_d']);
  const name = byOwner ? 'key_owner' : who.name;
  await rejectionOf(
    ask(run).handler.handle(walletAggregate, account, hold(name, run), (wallet) =>
      setPolicy(wallet, { type: 'SetPolicy', subject, wanted, maker }),
    ),
  );
};

const stop = async (run: Run): Promise<void> => {
  const { random } = run.world;
  const subject = pick(random, ['account', 'key_a', 'key_b', 'ucan:the-first-ucan']);
  const { handler } = ask(run);
  const maker = { subjects: [] };
  await handler.handle(walletAggregate, account, hold('key_owner', run), (wallet) =>
    freeze(wallet, { type: 'Freeze', subject, maker }),
  );
  await run.world.pause(random() * 4 * hourMs);
  await ask(run).handler.handle(walletAggregate, account, hold('key_owner', run), (wallet) =>
    unfreeze(wallet, { type: 'Unfreeze', subject, maker }),
  );
};

const produce = async (run: Run, letterId: string): Promise<void> => {
  const { handler } = ask(run);
  const started = await handler.handle(
    letterAggregate,
    letterId,
    hold('production', run),
    (letter) =>
      startProduction(letter, {
        type: 'StartProduction',
        partner: 'house',
        jobId: letterId,
        source: 'partner',
      }),
  );
  if (started.events.length > 0) run.told.printed.push(letterId);
  await settle(run, letterId);
  const fate = run.world.random();
  if (fate > 0.3) return;
  const report = (progress: Parameters<typeof reportProgress>[1]) =>
    handler.handle(letterAggregate, letterId, hold('production', run), (letter) =>
      reportProgress(letter, progress),
    );
  const base = { type: 'ReportProgress', source: 'partner' } as const;
  if (fate > 0.2) {
    await report({ ...base, step: 'posted' });
    if (fate > 0.25) await payBack(run, letterId);
    await report({ ...base, step: 'returned', reason: 'returned_to_sender' });
  } else {
    const failure = { code: 'paper_jam', stage: 'print', detail: 'A paper jam.' } as const;
    await report({ ...base, ...failure, step: 'failed', retryable: false });
  }
  await settle(run, letterId);
};

const expire = async (run: Run, letterId: string): Promise<void> => {
  const { handler } = ask(run);
  await handler.handle(letterAggregate, letterId, hold('expiring', run), (letter, _, at) =>
    expireApproval(
      letter,
      { approvalId: letter.status === 'none' ? '' : (letter.approval?.approvalId ?? '') },
      at,
    ),
  );
  await settle(run, letterId);
};

const kill = (run: Run): void => {
  const { random, schedule } = run.world;
  const at = Math.floor(random() * run.processes.length);
  const process = run.processes[at] as Process;
  process.life.dead = true;
  schedule.after(random() * 200, () => {
    run.processes[at] = run.world.createProcess();
  });
};

const wantedFor = (kind: number): string | undefined => {
  if (kind < 0.76 || kind > 0.96) return 'ApprovalRequested';
  return kind > 0.9 ? 'LetterQueued' : undefined;
};

const act = async (run: Run): Promise<void> => {
  const { world } = run;
  const { random } = world;
  const all = [...run.cast.credentials.values()];
  const senders = sendersIn(run);
  const who = pick(random, senders);
  /** The wallet without a key decides on nothing, and has nothing to rotate. */
  const holders = senders.filter(({ name }) => name !== payerName);
  const kind = random();
  if (kind < 0.4) return send(run, who);
  if (kind < 0.45) return order(run, who);
  if (kind < 0.5) return govern(run);
  if (kind < 0.52) return stop(run);
  if (kind < 0.54) return run.calm ? undefined : kill(run);
  if (kind < 0.56) return rotate(run, pick(random, holders), pick(random, holders));
  if (kind < 0.57) return dispute(run);
  if (kind < 0.58) return closeBooks(run);
  if (kind < 0.6) return world.offerDiscount();
  const wanted = wantedFor(kind);
  const letterId = await someLetter(run, wanted);
  if (letterId === undefined) return;
  if (kind < 0.76) {
    const trusted = all.filter(({ name }) => ['key_c', 'key_d', 'operator'].includes(name));
    return decide(run, pick(random, random() < 0.6 ? trusted : holders), letterId);
  }
  if (kind < 0.83) return cancel(run, letterId);
  // A UCAN whose caveats bound the price changes no letter.
  if (kind < 0.9)
    return run.calm || who.name in allowedBy ? undefined : changeSome(run, who, letterId);
  if (kind < 0.96) return produce(run, letterId);
  return expire(run, letterId);
};

/** Finishes or undoes the work that crashes left behind, as the process manager does it from the log. */
const heal = async (run: Run): Promise<void> => {
  const { world } = run;
  for (const process of run.processes) process.life.dead = true;
  run.processes.splice(0, run.processes.length, world.createProcess());
  const { settling, handler } = ask(run);
  for (const recorded of await world.store.readAll({ after: 0n, limit: 100_000 })) {
    await settling.react(decodeEvent(recorded), recorded.position)?.(aloneLease);
  }
  await world.pause(120_000);
  await settling.sweep();
  for (const letterId of await lettersIn(run)) {
    const context = hold('settling', run);
    await settleWallet({ handler }, letterId, context, account);
  }
};

export const play = async (seed: number, broken: Broken = {}): Promise<Outcome> => {
  const world = createWorld(seed, broken);
  const { random, schedule } = world;
  let number = seed * 100_000;
  const told: Told = { printed: [] };
  const run: Run = {
    world,
    cast: createCast(),
    processes: [],
    told,
    agreed: [],
    calm: random() < 0.4,
    next: () => number++,
  };
  run.processes.push(world.createProcess(), world.createProcess());
  const errors: string[] = [];
  const begin = (work: Promise<unknown>) =>
    void work.catch((error: unknown) => errors.push(String((error as Error).stack ?? error)));
  const whole = async (): Promise<void> => {
    await enter(run);
    for (let count = 0; count < 3; count++) await govern(run);
  };
  begin(whole());
  await schedule.run(5_000);
  let at = 5_000;
  const bursts = 6 + Math.floor(random() * 8);
  for (let burst = 0; burst < bursts; burst++) {
    at += random() < 0.3 ? 200 : random() * 14 * hourMs;
    await schedule.run(at);
    const actions = 3 + Math.floor(random() * 8);
    for (let n = 0; n < actions; n++) schedule.after(random() * 60, () => begin(act(run)));
  }
  await schedule.run(at + 5 * hourMs);
  begin(heal(run));
  await schedule.run(at + 6 * hourMs);
  const judged = await problemsOf(run);
  return { problems: [...errors.slice(0, 3), ...judged.problems], counts: judged.counts };
};
