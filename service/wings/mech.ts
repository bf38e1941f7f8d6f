/** The mech: letters as a tool on a marketplace of agents. */

import { describeOperations } from '../../agent-api/mech/describe.ts';
import { executeOperation } from '../../agent-api/mech/execute.ts';
import type { MechPorts, PaidRequest } from '../../agent-api/mech/ports.ts';
import { accountAggregate } from '../../commands/accounts/account.ts';
import { letterAggregate } from '../../commands/letters/letter.ts';
import { letterIdOf } from '../../commands/letters/send-letter.ts';
import { mechRequestAggregate } from '../../commands/mech/request.ts';
import { createMechRequests } from '../../commands/mech/requests.ts';
import { openMechTestAccount } from '../../commands/mech/test-account.ts';
import { AppError } from '../../contract/errors.ts';
import type { Caller } from '../../contract/operation.ts';
import { letterStream } from '../../events/letter.ts';
import { formerRequestKeys, mechRequestKey } from '../../events/mech.ts';
import { toTimestamp } from '../../ground/clock.ts';
import { dayOf } from '../../ground/day.ts';
import { requestFingerprint } from '../../ground/fingerprint.ts';
import { commandMaker } from '../../http/command-of.ts';
import { mechRequests as requestRows } from '../../projections/mech-requests/project.ts';
import { openMechRequests } from '../../projections/mech-requests/query.ts';
import type { Chore } from '../foundation/chores.ts';
import type { Site, Wing } from '../foundation/wing.ts';

/** The id of the key where the mech acts. No real key has it. */
const keyId = 'mech';
/** A request that is alive ends itself within this time. */
const patienceMs = 30_000;
const atOnce = 200;
const pingEveryMs = 10_000;

type Mode = 'test' | 'live';

const noAccount = (why: string): AppError =>
  new AppError('mech_unavailable', `The mech has no account that pays: ${why}. Ask its operator.`, {
    headers: { 'Retry-After': '60' },
  });

/** The caller whose wallet pays. */
const createPayer = ({ config, clock, commands, authority }: Site, mode: Mode) => {
  const { account: configured } = config.mech;
  let opened: { day: string; accountId: Promise<string> } | undefined;

  const ownAccount = async (): Promise<string> => {
    const day = dayOf(clock());
    if (opened?.day !== day) {
      opened = { day, accountId: openMechTestAccount(commands, day) };
      opened.accountId.catch(() => {
        opened = undefined;
      });
    }
    return opened.accountId;
  };

  return async (): Promise<Caller> => {
    const accountId = configured ?? (await ownAccount());
    const { state } = await commands.handler.load(accountAggregate, accountId);
    if (state.status !== 'open') throw noAccount('no account has the id in MECH_ACCOUNT');
    if (state.test !== (mode === 'test')) {
      throw noAccount(`the account in MECH_ACCOUNT is a ${state.test ? 'test' : 'live'} account`);
    }
    if (state.blocked !== undefined) throw noAccount('it is blocked');
    // In test mode anybody may call: each pays with the budget of its own address.
    const { test } = state;
    const caller: Caller = {
      accountId,
      keyId,
      scope: 'send',
      test,
      shared: test,
      cannotWait: true,
    };
    const frozen = await authority.frozen.subjectOf(caller);
    if (frozen !== undefined) throw noAccount('it is frozen, or going to be erased');
    return caller;
  };
};

const requestsOf = ({ config, clock, commands, keys }: Site) =>
  createMechRequests({
    handler: commands.handler,
    dataKeys: keys.dataKeys,
    clock,
    caps: config.mech.caps,
    wasSent: async (letterId) =>
      (await commands.handler.load(letterAggregate, letterId)).state.status !== 'none',
  });

const requestPorts = (site: Site, mode: Mode): MechPorts['requests'] => {
  const { keys, commands } = site;
  const requests = requestsOf(site);
  const test = mode === 'test';
  const commandOf = commandMaker({ name: 'send_letter' }, (text) => keys.indexOf('request', text));

  /** The letter that a send makes, by its Idempotency-Key. */
  const letterOf = ({ caller, requestKey }: PaidRequest): string =>
    letterIdOf(
      commandOf({
        caller,
        address: '',
        body: undefined,
        params: undefined,
        idempotencyKey: `mech ${requestKey}`,
      }).commandId,
    );

  return {
    find: ({ requestKey, requestHash, action, caller }) =>
      requests.find(requestKey, { requestHash, action, accountId: caller.accountId }),
    begin: (request, { by, chain }) =>
      requests.begin({
        requestKey: request.requestKey,
        accountId: request.caller.accountId,
        test,
        action: request.action,
        requestHash: request.requestHash,
        proof: by,
        priceWei: String(request.priceWei),
        ...(chain ? { chain } : {}),
        ...(request.action === 'send' ? { letterId: letterOf(request) } : {}),
      }),
    serve: ({ requestKey }, letterId, answer) => requests.serve(requestKey, letterId, answer),
    refuse: (request, code) => requests.refuse(request, code),
    isUsed: async (requestKey) =>
      (await commands.handler.load(mechRequestAggregate, requestKey)).state.status !== 'none',
  };
};

/** Finds requests that earlier versions stored under another form of their id. */
const keyFinder =
  ({ isUsed }: MechPorts['requests'], mode: Mode): MechPorts['keyOf'] =>
  async (requestId) => {
    const test = mode === 'test';
    const key = mechRequestKey(requestId, test);
    const former = formerRequestKeys(requestId, test);
    if (former.length === 0 || (await isUsed(key))) return key;
    for (const one of former) if (await isUsed(one)) return one;
    return key;
  };

/** Proves that requests are paid for. Loaded on first use, because it loads a chain's client. */
const openProofs = async ({ config, clock, baseUrl }: Site) => {
  const { rpcUrl, marketplace: address, chainId, ...mech } = config.mech;
  const { createProve } = await import('../../infra/mech/proofs.ts');
  const { createMarketplace } = await import('../../infra/mech/marketplace.ts');
  const marketplace =
    rpcUrl === undefined
      ? undefined
      : createMarketplace({ rpcUrl, address: address as `0x${string}`, chainId });
  const { coordinatorSecret: secret, coordinatorAddress: coordinator } = mech;
  const settings = { baseUrl, secret, coordinator, mech: mech.address };
  return { prove: createProve(settings, { clock, marketplace }), marketplace };
};

/** Limits how often it asks, across all callers. */
const seldom = <T>(ask: () => Promise<T>): (() => Promise<T>) => {
  let last: { atMs: number; answer: Promise<T> } | undefined;
  return () => {
    const atMs = performance.now();
    if (last && atMs - last.atMs < pingEveryMs) return last.answer;
    last = { atMs, answer: ask() };
    return last.answer;
  };
};

const identityOf = ({ config: { mech } }: Site) => ({
  agentId: mech.agentId ?? null,
  componentId: mech.componentId ?? null,
  serviceId: mech.serviceId ?? null,
  owner: mech.owner ?? null,
  mech: mech.address ?? null,
  marketplace: mech.marketplace,
  network: {
    name: mech.chainId === 100 ? 'gnosis' : `eip155:${mech.chainId}`,
    chainId: mech.chainId,
  },
});

const proofsIn = ({ config: { mech } }: Site) => [
  ...(mech.coordinatorSecret ? (['coordinator_hmac'] as const) : []),
  ...(mech.coordinatorAddress ? (['coordinator_signature'] as const) : []),
  ...(mech.rpcUrl ? (['on_chain_request'] as const) : []),
];

const openMech = async (site: Site, mode: Mode) => {
  const { keys, storage } = site;
  const proofs = mode === 'live' ? await openProofs(site) : undefined;
  const payer = createPayer(site, mode);
  const requests = requestPorts(site, mode);
  const ports: MechPorts = {
    mode,
    payer,
    prove: proofs?.prove ?? (async () => ({ by: 'none' })),
    keyOf: keyFinder(requests, mode),
    digest: (asked) => keys.indexOf('mech', requestFingerprint('mech', asked, undefined)),
    requests,
    async lastChangeOf(letterId) {
      const events = await storage.store.readStream(letterStream(letterId));
      const [first] = events;
      if (!first) return undefined;
      const { actor } = JSON.parse(first.metadata) as { actor: string };
      return actor === `key:${keyId}` ? events.at(-1)?.position : undefined;
    },
  };
  const notReady = seldom(async (): Promise<string | undefined> => {
    try {
      await payer();
    } catch (error) {
      if (error instanceof AppError) return 'no account pays for letters';
      throw error;
    }
    try {
      await proofs?.marketplace?.ping();
    } catch {
      return 'the chain of the marketplace cannot be reached';
    }
    return undefined;
  });
  return { ports, notReady };
};

/** Ends requests that a crash left: their letters are looked up. */
const finishing = (site: Site): Chore => {
  const requests = requestsOf(site);
  return {
    what: 'finishing requests of the mech',
    everyMs: 10_000,
    async work() {
      const until = toTimestamp(site.clock() - patienceMs);
      for (const key of await openMechRequests(site.storage.readDb, until, atOnce)) {
        await requests.finish(key);
      }
    },
  };
};

export const mech: Wing = {
  name: 'mech',
  projections: [requestRows],
  async open(site) {
    const { mode } = site.config.mech;
    const opened = mode && (await openMech(site, mode));
    return {
      read: () =>
        describeOperations({
          mode,
          identity: identityOf(site),
          proofs: proofsIn(site),
          baseUrl: site.baseUrl,
          notReady: opened?.notReady ?? (async () => 'it is switched off'),
        }),
      write: () => [executeOperation(opened?.ports)],
      react: () => ({ chores: [finishing(site)] }),
    };
  },
};
