/** Policies end with the proof of an address, whatever happens on the way. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { accountAggregate } from '../../commands/accounts/account.ts';
import { createAccountService } from '../../commands/accounts/account-service.ts';
import { createKeyMaker } from '../../commands/accounts/api-key.ts';
import { newDid } from '../../commands/accounts/new-did.ts';
import { setPolicy } from '../../commands/guards/set-policy.ts';
import { createCommandHandler } from '../../commands/handling/handle.ts';
import { walletAggregate } from '../../commands/wallets/wallet.ts';
import { accountSubject } from '../../contract/frozen.ts';
import { toTimestamp } from '../../ground/clock.ts';
import { defaultLimits } from '../../limits/table.ts';
import { withKey } from '../support/keyring.ts';
import { createMemoryDataKeys } from '../support/memory-data-keys.ts';
import { createMemoryEventStore } from '../support/memory-event-store.ts';

const email = 'anna@example.org';

/** `hooks.before` runs before each append of the service; a stranger appends without it. */
const createWorld = async () => {
  const clock = () => Date.parse('2026-03-01T12:00:00.000Z');
  const store = createMemoryEventStore();
  const hooks = { before: async (_stream: string): Promise<void> => {} };
  const append: typeof store.append = async (stream, ...rest) => {
    await hooks.before(stream);
    return store.append(stream, ...rest);
  };
  const dataKeys = createMemoryDataKeys();
  const processOf = (events: typeof store) =>
    createCommandHandler({ store: events, dataKeys, clock });
  const handler = processOf({ ...store, append });
  const stranger = processOf(store);
  const accounts = createAccountService({
    handler,
    clock,
    limits: defaultLimits,
    makeKey: createKeyMaker(withKey(randomBytes(32))),
    indexOf: (kind, value) => createHash('sha256').update(`${kind}\n${value}`).digest('base64url'),
  });
  const context = () => ({ commandId: randomUUID(), actor: 'test' });
  const wanted = { kind: 'email' as const, name: email, scope: 'full' as const, test: false };
  const requestHash = 'r'.repeat(43);
  const { accountId } = await accounts.register({ ...wanted, requestHash }, context());
  let approver = 0;
  const plant = async () => {
    approver += 1;
    const policy = {
      rules: [{ id: 'all', effect: 'allow' as const }],
      approvals: { quorum: 1 as const, approvers: [`key_${approver}`], expiresInHours: 72 },
    };
    await stranger.handle(walletAggregate, accountId, context(), (wallet) =>
      setPolicy(wallet, {
        type: 'SetPolicy',
        subject: accountSubject,
        wanted: policy,
        maker: { subjects: [], mayRaise: true },
      }),
    );
  };
  const confirm = () =>
    accounts.confirmEmail(
      accountId,
      {
        address: 'registered',
        email,
        by: 'link',
        keep: [],
        end: [],
        did: newDid(),
        at: toTimestamp(clock()),
      },
      context(),
    );
  const now = async () => {
    const [{ state: account }, { state: wallet }] = await Promise.all([
      stranger.load(accountAggregate, accountId),
      stranger.load(walletAggregate, accountId),
    ]);
    return { proved: account.confirmedAt !== undefined, policies: wallet.guards.policies.size };
  };
  return { accountId, hooks, plant, confirm, now };
};

describe('policies that were set before the proof of an address', () => {
  it('are never left with the proof when the service stops on the way', async () => {
    for (let step = 1; ; step += 1) {
      const { hooks, plant, confirm, now } = await createWorld();
      await plant();
      let appends = 0;
      hooks.before = async () => {
        appends += 1;
        if (appends === step) throw new Error('stopped');
      };
      const isDone = await confirm().then(
        () => true,
        () => false,
      );
      const { proved, policies } = await now();
      expect([proved, policies], `stopped at append ${step}`).to.not.deep.equal([true, 1]);
      hooks.before = async () => {};
      await confirm();
      expect(await now()).to.deep.equal({ proved: true, policies: 0 });
      if (isDone) return expect(step).to.be.greaterThan(2);
    }
  });

  it('end also where a stranger sets them again meanwhile', async () => {
    const { accountId, hooks, plant, confirm, now } = await createWorld();
    await plant();
    hooks.before = async (stream) => {
      if (stream === `account-${accountId}`) await plant();
    };
    await confirm();
    expect(await now()).to.deep.equal({ proved: true, policies: 0 });
  });
});
