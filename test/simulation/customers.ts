/**
 * Customers and their knowledge: the letters acknowledged to them, and their payments. They call any process,
 * repeat requests without an answer under the same key or give up, and change their minds.
 */
import { accountAggregate } from '../../commands/accounts/account.ts';
import { changeSettings } from '../../commands/accounts/settings.ts';
import { cancelLetter, letterAggregate } from '../../commands/letters/letter.ts';
import { type PartnerReport, takeReport } from '../../commands/letters/partner-report.ts';
import { isAppError } from '../../contract/errors.ts';
import { letterStream } from '../../events/letter.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import { digest } from '../support/digest.ts';
import { letterTo, newYork } from '../support/letter-world.ts';
import { createActor } from './actor.ts';
import { createLink } from './network.ts';
import type { Process } from './process.ts';
import { between, pick } from './schedule.ts';
import type { World } from './world.ts';

const namespace = '0b6c6a52-7d5c-5a3e-9d55-2f8d9b1c7e11';
const warn = (): void => {};
const never = new AbortController().signal;
const longText = 'A long page. '.repeat(1_500);

class Unanswered extends Error {}

/** The answers that customers got, and the knowledge of the world outside. */
export type Known = {
  /** Letters that were acknowledged, and as what. */
  letters: Map<string, 'draft' | 'queued'>;
  /** Micro-USD that each account paid in. */
  paid: Map<string, bigint>;
  /** Accounts whose request for webhooks was acknowledged. */
  accounts: Set<string>;
};

export const createCustomers = (world: World, processes: () => readonly Process[]) => {
  const { schedule, random, weather, broken } = world;
  const actor = createActor(schedule);
  const link = createLink({ schedule, weather: { ...weather, twice: 0 } }, actor, 6_000);
  const known: Known = {
    letters: new Map(),
    paid: new Map(),
    accounts: new Set(),
  };
  let open = 0;

  const busyWith = (work: Promise<unknown>): void => {
    open++;
    void work.finally(() => open--);
  };

  const wait = (ms: number): Promise<void> => actor.time.pause(ms, never);

  /** Asks a process, which answers if it lives to. @throws Unanswered; what it answers with */
  const ask = <T>(work: (process: Process) => Promise<T>): Promise<T> => {
    const process = pick(random, processes());
    const unanswered = (): Error => new Unanswered();
    return link.call(() => {
      if (process.actor.isDead()) return Promise.reject(unanswered());
      return new Promise<T>((resolve, reject) => {
        process.actor.meet(() => void work(process).then(resolve, reject));
        schedule.after(6_000, () => reject(unanswered()));
      });
    }, unanswered);
  };

  /** The same, until it is answered with yes or no. */
  const insist = async <T>(work: (process: Process) => Promise<T>): Promise<T | undefined> => {
    for (;;) {
      try {
        return await ask(work);
      } catch (error) {
        if (isAppError(error) && error.status < 500 && error.code !== 'conflict') return undefined;
        await wait(between(random, 100, 2_000));
      }
    }
  };

  const contextOf = (accountId: string, test: boolean, name: string) => ({
    commandId: uuidv5(namespace, `${world.seed} ${accountId} ${name}`),
    actor: 'key:1',
    accountId,
    test,
    requestHash: digest(name),
    repeatable: true,
  });

  const pay = async (accountId: string, name: string): Promise<void> => {
    const amountMicro = BigInt(Math.floor(between(random, 3, 20))) * 1_000_000n;
    const { commandId } = contextOf(accountId, false, name);
    let tries = 0;
    const done = await insist(({ accounts }) => {
      const reference = broken.receipts ? `${name} ${tries++}` : name;
      return accounts.credit(
        accountId,
        { bucket: random() < 0.5 ? 'fiat' : 'crypto', amountMicro, reference },
        { commandId: uuidv5(commandId, reference), actor: 'operator' },
      );
    });
    if (done) known.paid.set(accountId, (known.paid.get(accountId) ?? 0n) + amountMicro);
  };

  const cancel = async (accountId: string, letterId: string, name: string): Promise<void> => {
    const context = contextOf(accountId, false, name);
    await insist(async ({ handler, settle, store }) => {
      // As the operation does: a command that was obeyed gets the same answer again.
      const events = await store.readStream(letterStream(letterId));
      if (events.some(({ metadata }) => metadata.includes(context.commandId))) return;
      await handler.handle(
        letterAggregate,
        letterId,
        { ...context, oneStream: true },
        cancelLetter,
      );
      await settle(letterId, context.commandId);
    });
  };

  const send = async (accountId: string, test: boolean, name: string): Promise<void> => {
    const isDraft = random() < 0.2;
    const kind = random();
    const options = { draft: isDraft, holdWithoutFunds: random() < 0.3 };
    const input = letterTo(random() < 0.3 ? newYork : {}, {
      content:
        kind < 0.2
          ? { kind: 'pdf', source: 'https://example.org/a.pdf' }
          : { kind: 'text', text: kind < 0.4 ? longText : 'Bonjour.' },
    });
    const context = contextOf(accountId, test, name);
    const sending = ({ letters }: Process) => letters.send(input, options, context);
    const sent =
      random() < 0.75 ? await insist(sending) : await ask(sending).catch(() => undefined);
    if (!sent) return;
    const { letterId, status } = sent;
    known.letters.set(letterId, status);
    if (random() < 0.2) {
      const change = contextOf(accountId, test, `${name} change`);
      const changes = {
        acceptAddressAsIs: true,
        to: { line1: '12 rue de la Paix', name: 'Ada King' },
      };
      await ask(({ letters }) => letters.update(letterId, changes, change, undefined)).catch(
        () => undefined,
      );
    }
    if (status === 'draft' && random() < 0.8) {
      const context = contextOf(accountId, test, `${name} again`);
      const again = await insist(({ letters }) =>
        letters.sendDraft(letterId, { ...options, draft: false }, context),
      );
      if (again) known.letters.set(letterId, again.status);
    }
    if (random() < 0.5) {
      await wait(between(random, 1_000, 9_000));
      await cancel(accountId, letterId, `${name} cancel`);
      if (random() < 0.3) await cancel(accountId, letterId, `${name} cancel again`);
    }
  };

  const live = async (n: number): Promise<void> => {
    const test = random() < 0.25;
    const registration = {
      kind: 'agent' as const,
      name: `agent-${n}`,
      scope: 'full' as const,
      test,
      requestHash: digest(`register ${n}`),
    };
    const commandId = uuidv5(namespace, `${world.seed} register ${n}`);
    const made = await insist(({ accounts }) =>
      accounts.register(registration, { commandId, actor: 'anonymous' }),
    );
    if (!made) throw new Error('an account was refused');
    const { accountId } = made;
    if (test) known.paid.set(accountId, 100_000_000n);
    const settings = { ...contextOf(accountId, test, 'settings'), oneStream: true };
    await insist(({ handler }) =>
      handler.handle(accountAggregate, accountId, settings, (account) =>
        changeSettings(account, {
          type: 'ChangeSettings',
          webhookUrl: 'https://example.org/hook',
          newSecret: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
          previousSecretUntil: '2027-01-01T00:00:00.000Z',
          at: '2026-11-03T09:00:00.000Z',
        }),
      ),
    );
    known.accounts.add(accountId);
    const paying = test ? [] : [pay(accountId, 'first'), pay(accountId, 'second')];
    const sending = Array.from({ length: 2 + Math.floor(random() * 2) }, async (_, letter) => {
      await wait(between(random, 0, 8_000));
      await send(accountId, test, `letter ${letter}`);
    });
    await Promise.all([...paying, ...sending]);
  };

  /** The print house reports the outcomes of its jobs, until it is heard; sometimes twice. */
  const report = async (): Promise<void> => {
    for (let told = 0; ; told++) {
      while (told >= world.house.reports.length) await wait(between(random, 100, 600));
      const next = world.house.reports[told] as PartnerReport;
      const context = {
        commandId: uuidv5(namespace, `${world.seed} report ${told}`),
        actor: 'house',
      };
      // Nothing keeps reports in order on their way.
      for (let times = random() < 0.2 ? 2 : 1; times > 0; times--) {
        busyWith(
          insist(({ handler }) =>
            takeReport(
              {
                handler,
                log: { warn },
                clock: Date.now,
                partner: 'house',
                datedAt: async () => undefined,
                mayBeHandedOver: async () => false,
              },
              next,
              context,
            ),
          ),
        );
      }
    }
  };

  return {
    known,
    /** Whether they still want something. */
    isBusy: (): boolean => open > 0,
    /** They want nothing any more. */
    leave: actor.kill,
    start(count: number): void {
      void report();
      for (let n = 0; n < count; n++) busyWith(live(n));
    },
  };
};
