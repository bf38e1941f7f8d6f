/** A letter world whose account is registered and has money. */
import { accountAggregate } from '../../commands/accounts/account.ts';
import { registerAccount } from '../../commands/accounts/registration.ts';
import { account, createLetterWorld, type LetterWorld } from './letter-world.ts';

export const registeredWorld = async (): Promise<LetterWorld> => {
  const world = createLetterWorld();
  await world.fund(5_000n);
  await world.handler.handle(accountAggregate, account, world.context(), (state) =>
    registerAccount(state, {
      type: 'RegisterAccount',
      accountId: account,
      kind: 'email',
      test: false,
      name: 'a@example.org',
      requestHash: 'r'.repeat(43),
      key: {
        keyId: 'key-1',
        secretHash: 's'.repeat(43),
        prefix: 'svc_live_abcd',
        label: 'x',
        scope: 'full',
      },
    }),
  );
  return world;
};
