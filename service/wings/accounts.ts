/** Accounts: registered, their keys, settings and notifications, recovered. */

import { accountAggregate } from '../../commands/accounts/account.ts';
import { isNotificationEmailConfirmed } from '../../commands/accounts/confirmation.ts';
import { newDid } from '../../commands/accounts/new-did.ts';
import { policyKeyOf } from '../../commands/guards/credential-line.ts';
import { ucanAggregate } from '../../commands/ucans/ucan.ts';
import { walletAggregate } from '../../commands/wallets/wallet.ts';
import type { AnyOperation } from '../../contract/operation.ts';
import { toTimestamp } from '../../ground/clock.ts';
import { pathPrefixOf } from '../../ground/path-prefix.ts';
import { createAuthenticator } from '../../infra/identity/authenticate-key.ts';
import { mailChannelsOf, mergeChannels } from '../../infra/mail/mail-channels.ts';
import { admitRegistration } from '../../infra/quotas/registrations.ts';
import type {
  AccountAuditLink,
  AccountAuditLinks,
} from '../../infra/readers/account-audit-links.ts';
import { newWebhookSecret } from '../../infra/signing/standard-webhooks.ts';
import { webhookChannels } from '../../infra/webhooks/channels.ts';
import { statusBodies } from '../../infra/webhooks/status-targets.ts';
import { createAssertCallable } from '../../infra/webhooks/webhook-settings.ts';
import { confirmPage } from '../../pages/confirm/confirm-page.ts';
import { recoverPage } from '../../pages/recover/recover-page.ts';
import { accounts as accountRows } from '../../projections/accounts/project.ts';
import { makerRows } from '../../projections/makers/project.ts';
import { liveUcans } from '../../projections/ucans/query.ts';
import { accountReadOperations } from '../../read-api/accounts.ts';
import { notificationReadOperations } from '../../read-api/notifications.ts';
import { statementOperation } from '../../read-api/statement.ts';
import { statisticsOperation } from '../../read-api/statistics.ts';
import { accountOperations } from '../../write-api/accounts.ts';
import type { Foundation, Site, Wing } from '../foundation/wing.ts';
import { approvalUrlIn } from './approval-page.ts';
import { keepLimitsOf } from './policies.ts';
import { createRecovery, emailLinksOf } from './recovery.ts';

const mostUcansCounted = 100;

/** How many live UCANs came from each key of an account, among the newest 100. */
const ucanCounterOf =
  ({ storage, clock, commands }: Pick<Foundation, 'storage' | 'clock' | 'commands'>) =>
  async (accountId: string): Promise<Map<string, number>> => {
    const page = { now: toTimestamp(clock()), before: undefined, limit: mostUcansCounted };
    const live = await liveUcans(storage.readDb, accountId, page);
    const counts = new Map<string, number>();
    for (const { cid } of live) {
      const { state } = await commands.handler.load(ucanAggregate, cid);
      for (const keyId of state.issued?.boundTo?.keys ?? []) {
        counts.set(keyId, (counts.get(keyId) ?? 0) + 1);
      }
    }
    return counts;
  };

const mostLinksShown = 100;

/** The newest active audit links of an account, by each key that they end with. */
const auditLinksByKeyOf =
  (linksOf: AccountAuditLinks) =>
  async (accountId: string): Promise<Map<string, AccountAuditLink[]>> => {
    const links = await linksOf(accountId, { before: undefined, limit: mostLinksShown });
    const byKey = new Map<string, AccountAuditLink[]>();
    for (const link of links.filter(({ opens }) => opens)) {
      for (const keyId of link.boundTo.keys) {
        byKey.set(keyId, [...(byKey.get(keyId) ?? []), link]);
      }
    }
    return byKey;
  };

const readOperations = (
  site: Site,
  { lastUsed }: Awaited<ReturnType<typeof createAuthenticator>>,
): AnyOperation[] => {
  const { config, clock, commands, storage } = site;
  const { limits } = config;
  const { readDb: db } = storage;
  const { openForAccount } = site.shared.letterReader;
  return [
    ...accountReadOperations({
      db,
      clock,
      openForAccount,
      lastUsed,
      hasEnded: site.authority.check.hasEnded,
      storedBytes: storage.storedBytes.of,
      async policyKeys(accountId) {
        const { state } = await commands.handler.load(accountAggregate, accountId);
        return (keyId) => policyKeyOf(state, keyId);
      },
      hasWallet: async (accountId) =>
        (await commands.handler.load(walletAggregate, accountId)).state.status !== 'none',
      payerOf: async (accountId) => {
        // Only a wallet's account is without an address: its name is its DID.
        const { state } = await commands.handler.load(accountAggregate, accountId);
        return state.status === 'open' && state.kind === 'wallet' ? state.name : undefined;
      },
      languageOf: async (accountId) =>
        (await commands.handler.load(accountAggregate, accountId)).state.language,
      async isEmailConfirmed(accountId) {
        if (!config.mail) return undefined;
        const { state } = await commands.handler.load(accountAggregate, accountId);
        return isNotificationEmailConfirmed(state);
      },
    }),
    statisticsOperation({ db, clock }),
    statementOperation({ db, clock, limits, openForAccount }),
    ...notificationReadOperations({
      db,
      limits,
      async channelsOf(accountId, rows) {
        const eventIds = rows.map((row) => row.event_id);
        return mergeChannels(
          ...(await Promise.all([
            webhookChannels(db, accountId, eventIds),
            mailChannelsOf(db, rows),
          ])),
        );
      },
      async webhookBody(accountId, row) {
        const { event_id: eventId, letter_id: letterId, type, status, position } = row;
        const { state } = await commands.handler.load(accountAggregate, accountId);
        const at = row.created_at.toISOString();
        const message = { eventId, letterId, type, status, position, at };
        const ports = { store: storage.store, approvalUrl: approvalUrlIn(site) };
        return (await statusBodies(ports, [message], state.test)).get(eventId) ?? '';
      },
    }),
  ];
};

export const accounts: Wing = {
  name: 'accounts',
  projections: [accountRows, makerRows],
  async open(site) {
    const { config, clock, log, keys, commands, storage, authority, closing } = site;
    const { limits } = config;
    const { readDb: db } = storage;
    const prefix = pathPrefixOf(site.baseUrl);
    const apiKeys = await createAuthenticator({
      db,
      clock,
      registration: !config.registrationClosed,
      ends: authority.check,
      isUpToDate: () => site.isUpToDate([accountRows.name]),
      onError: (error) => log.warn({ err: String(error) }, 'usage not saved'),
    });
    closing.defer(() => apiKeys.stop());
    return {
      callers: {
        knows: () => true,
        authenticate: (header, _ucans, address, orReplaced) =>
          apiKeys.authenticate(header, address, orReplaced),
      },
      apiKeys,
      pages: () => [recoverPage(prefix), confirmPage(prefix)],
      write: () =>
        accountOperations({
          accounts: commands.accounts,
          emailChanges: commands.accounts.emailChanges,
          clock,
          keysChanged: (accountId, position) => {
            const isShown = () => site.hasReached([accountRows.name], position);
            apiKeys.keysChanged(accountId, isShown);
            authority.keyEnds.changed(accountId, isShown);
          },
          recovery: createRecovery(site),
          ...emailLinksOf(site),
          newDid,
          lastUsed: apiKeys.lastUsed,
          countUcans: ucanCounterOf(site),
          auditLinksByKey: auditLinksByKeyOf(site.shared.accountAuditLinks),
          handler: commands.handler,
          keepLimits: keepLimitsOf(site),
          hasEnded: authority.check.hasEnded,
          closed: config.registrationClosed,
          async admit(accountId, from) {
            const { state } = await commands.handler.load(accountAggregate, accountId);
            if (state.status === 'open') return;
            const address = keys.indexOf('address', from);
            await admitRegistration(db, { accountId, address }, limits);
          },
          newSecret: newWebhookSecret,
          assertCallable: createAssertCallable(site.shared.outbound),
        }),
      read: () => readOperations(site, apiKeys),
    };
  },
};
