import type { AccountService } from '../commands/accounts/account-service.ts';
import type { IssuedKey } from '../commands/accounts/issued-key.ts';
import { type AnyOperation, operation } from '../contract/operation.ts';
import { invalidField } from '../contract/refusals.ts';
import { Type } from '../ground/type.ts';
import { languages } from '../postal/stationery.ts';
import { presentRegistered, RegisteredAccount } from '../presenters/account.ts';
import { Line, OneOf } from '../presenters/common.ts';
import { preferredOf } from '../presenters/preferred-language.ts';
import { type Recovery, withRecoveryLink } from './recovery.ts';

export type RegisterPorts = {
  accounts: Pick<AccountService, 'register' | 'placeOf' | 'findAddress'>;
  recovery: Recovery;
  /**
   * Counts a new account of an address; one that exists already does not count.
   * @throws AppError rate_limited when the address registered too many
   */
  admit(accountId: string, address: string): Promise<void>;
  /** The service takes no new accounts. */
  closed: boolean;
};

const registered = (key: IssuedKey) => ({
  body: presentRegistered(key),
  position: key.position,
  account: key.accountId,
  replayed: key.replayed,
  answeredAt: key.createdAt,
});

/** @throws AppError rate_limited, email_registered */
const assertAdmitted = async (
  { accounts, admit, closed }: RegisterPorts,
  { kind, name, test }: { kind: 'email' | 'agent'; name: string; test: boolean },
  address: string,
): Promise<void> => {
  if (closed) return;
  const { accountId } = await accounts.placeOf(kind, name, test);
  await admit(accountId, address);
};

/** Nobody proves an agent id, so it may not look as if it were somebody's address. @throws AppError */
const assertNoAddress = (agentId: string): void => {
  if (!/^[^@\s]+@[^@\s]+$/.test(agentId.trim())) return;
  throw invalidField(
    '/agent_id',
    'not_allowed',
    'agent_id is an e-mail address. Use another name, or register the address with POST /auth/register.',
  );
};

const Mode = OneOf(
  ['live', 'test'] as const,
  'A test account has $100.00 of test money, and its letters are not printed.',
);

const MailLanguage = OneOf(
  languages,
  'Language of the mails about the account. Default: by `Accept-Language`.',
);

const RegisterBody = Type.NamedExact('Register', {
  email: Type.String({ format: 'email', maxLength: 254 }),
  mode: Type.Optional(Mode),
  language: Type.Optional(MailLanguage),
});

const RegisterAgentBody = Type.NamedExact('RegisterAgent', {
  agent_id: Line(120),
  agent_name: Line(120),
  scope: Type.Optional(OneOf(['send', 'read'] as const)),
  mode: Type.Optional(Mode),
  language: Type.Optional(MailLanguage),
});

const responses = {
  201: { description: 'The account and its first key', schema: RegisteredAccount },
};

/** `/auth/register` and `/signup` are one operation under two paths: a key counts for both. */
const register = (ports: RegisterPorts, name: string, path: string): AnyOperation =>
  operation({
    name,
    countsAs: 'register',
    method: 'POST',
    path,
    tag: 'Keys',
    summary: 'Register with an e-mail address',
    description:
      'Returns a full key, shown once. Under an Idempotency-Key that cannot be guessed (a random UUID), the answer can be repeated for 10 minutes. A mail asks the owner of the address to confirm the account.',
    access: 'public',
    idempotent: true,
    answersSecret: true,
    withoutSecret:
      'If you lost the key, register the address again without an Idempotency-Key. A recovery link is sent to it.',
    input: { body: RegisterBody },
    responses,
    errors: ['email_registered', 'registration_closed', 'conflict'],
    examples: [
      { summary: 'A test account', body: { email: 'anna@example.com', mode: 'test' } },
      { summary: 'A live account', body: { email: 'anna@example.com' } },
    ],
    async handle({ body, command, acceptLanguage, address }) {
      const account = { kind: 'email' as const, name: body.email, test: body.mode === 'test' };
      await assertAdmitted(ports, account, address);
      const { requestHash } = command;
      const language = body.language ?? preferredOf(acceptLanguage);
      const key = await ports.accounts
        .register(
          { ...account, scope: 'full', requestHash, language, closed: ports.closed },
          command,
        )
        .catch((error: unknown) => withRecoveryLink(ports, account, error));
      return registered(key);
    },
  });

const registerAgent = (ports: RegisterPorts): AnyOperation =>
  operation({
    name: 'register_agent',
    method: 'POST',
    path: '/auth/agent',
    tag: 'Keys',
    summary: 'Register an agent without an e-mail address',
    description: 'Keep the key safe: an agent’s account cannot be recovered by e-mail.',
    access: 'public',
    idempotent: true,
    answersSecret: true,
    withoutSecret:
      'If you lost the key, register another agent_id, or ask the operator of this service for a new key.',
    input: { body: RegisterAgentBody },
    responses,
    errors: ['agent_registered', 'registration_closed', 'conflict'],
    examples: [
      {
        summary: 'An agent to try with',
        body: { agent_id: 'mail-agent-7', agent_name: 'Mail agent', mode: 'test' },
      },
    ],
    async handle({ body, command, acceptLanguage, address }) {
      assertNoAddress(body.agent_id);
      const account = {
        kind: 'agent' as const,
        name: body.agent_id,
        displayName: body.agent_name,
        scope: body.scope ?? 'send',
        test: body.mode === 'test',
        requestHash: command.requestHash,
        language: body.language ?? preferredOf(acceptLanguage),
        closed: ports.closed,
      };
      await assertAdmitted(ports, account, address);
      return registered(await ports.accounts.register(account, command));
    },
  });

export const registerOperations = (ports: RegisterPorts): AnyOperation[] => [
  register(ports, 'register', '/auth/register'),
  register(ports, 'signup', '/signup'),
  registerAgent(ports),
];
