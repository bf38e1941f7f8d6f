import { randomUUID } from 'node:crypto';
import { accountAggregate } from '../../commands/accounts/account.ts';
import { disableWebhook } from '../../commands/accounts/settings.ts';
import type { CommandHandler } from '../../commands/handling/handle.ts';
import { decodeEvent } from '../../events/envelope.ts';
import type { EventStore, RecordedEvent } from '../../events/event-store.ts';
import { letterStream } from '../../events/letter.ts';
import { type ApprovalMessage, notificationIdOf, statusBody } from '../../reactors/webhook-body.ts';
import type { Targets } from './targets.ts';

/** The secrets that sign at a moment: the present one, and the one before until its day is over. */
const liveSecrets = (
  settings: { webhookSecret?: string; previousSecret?: string; previousSecretUntil?: string },
  now: number,
): string[] => {
  const { webhookSecret, previousSecret, previousSecretUntil } = settings;
  const both = previousSecret !== undefined && Date.parse(previousSecretUntil ?? '') > now;
  return [webhookSecret, both ? previousSecret : undefined].filter((one) => one !== undefined);
};

type BodyPorts = {
  store: Pick<EventStore, 'readStream' | 'eventAt'>;
  /** The page of an approval, without a token. */
  approvalUrl: (approvalId: string) => string;
};

/** The status webhook of an account, as its settings have it. */
type Ports = BodyPorts & { handler: CommandHandler; clock: () => number };

type Told = Parameters<typeof statusBody>[0] & { position: bigint };

/** The events of messages about approvals: of letters by their streams, of policies one by one. */
const eventsAbout = async (
  { store }: BodyPorts,
  messages: readonly Told[],
): Promise<RecordedEvent[]> => {
  const letters = messages.filter(({ type }) => type.startsWith('approval.'));
  const changes = messages.filter(({ type }) => type.startsWith('policy_change.'));
  const letterIds = [...new Set(letters.flatMap(({ letterId }) => letterId ?? []))];
  const [streams, single] = await Promise.all([
    Promise.all(letterIds.map((id) => store.readStream(letterStream(id)))),
    Promise.all(changes.map(({ position }) => store.eventAt(position))),
  ]);
  return [...streams.flat(), ...single.filter((event) => event !== undefined)];
};

/** The approvals that messages are about, by the ids of the events. */
const approvalsOf = async (
  ports: BodyPorts,
  messages: readonly Told[],
): Promise<Map<string, ApprovalMessage>> => {
  const wanted = new Set(messages.map(({ eventId }) => eventId));
  const events = await eventsAbout(ports, messages);
  return new Map(
    events.flatMap((recorded): [string, ApprovalMessage][] => {
      // Other events of the stream may have a later version that this program cannot read.
      if (!wanted.has(recorded.id)) return [];
      const { id, data } = decodeEvent(recorded);
      if (!('approvalId' in data) || data.approvalId === undefined) return [];
      const { approvalId } = data;
      return [[id, { approvalId, url: ports.approvalUrl(approvalId) }]];
    }),
  );
};

/** Bodies by event id. `test`: of a test account. */
export const statusBodies = async (
  ports: BodyPorts,
  messages: readonly Told[],
  test: boolean,
): Promise<Map<string, string>> => {
  const approvals = await approvalsOf(ports, messages);
  return new Map(
    messages.map((message) => {
      const { eventId } = message;
      return [eventId, statusBody(message, test, approvals.get(eventId))];
    }),
  );
};

export const createStatusTargets = (ports: Ports): Targets => ({
  async resolve({ accountId }) {
    const { state } = await ports.handler.load(accountAggregate, accountId);
    const { webhookUrl: url } = state.settings;
    const secrets = liveSecrets(state.settings, ports.clock());
    if (url === undefined || state.webhookDisabled !== undefined || secrets.length === 0) {
      return undefined;
    }
    return { url, secrets, test: state.test };
  },
  webhookIdOf: ({ eventId }) => notificationIdOf(eventId),
  bodies: (messages, { test }) => statusBodies(ports, messages, test),
  async disable({ accountId }, { url }, reason) {
    const cause = { commandId: randomUUID(), actor: 'reactor:deliver' };
    await ports.handler.handle(accountAggregate, accountId, cause, (account) =>
      disableWebhook(account, { type: 'DisableWebhook', url, reason }),
    );
  },
});
