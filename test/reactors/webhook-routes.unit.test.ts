import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { AnyEvent } from '../../events/envelope.ts';
import { credentialBody, statusBody } from '../../reactors/webhook-body.ts';
import {
  applyRouteChange,
  emptyRoutes,
  type Message,
  messagesOf,
  type Routes,
  routeChangeOf,
} from '../../reactors/webhook-routes.ts';

const at = '2026-03-01T12:00:00.000Z';
const letterId = '0b6c6a52-7d5c-4a3e-9d55-2f8d9b1c7e11';
let position = 0n;

const event = (stream: string, type: string, data: object = {}): AnyEvent => {
  position += 1n;
  const id = randomUUID();
  return { type, data, id, stream, version: 0n, position, metadata: { at } } as unknown as AnyEvent;
};

const posted = () => event(`letter-${letterId}`, 'LetterPosted', { source: 'carrier' });
const tracked = () => event(`letter-${letterId}`, 'TrackingNumberAssigned');
const settings = (webhook: boolean) =>
  event('account-a', 'SettingsChanged', { accountId: 'a', webhook, notificationEmail: false });
const subscribed = (subscriptionId: string, more: object = {}) =>
  event('account-a', 'AuditSubscribed', { accountId: 'a', subscriptionId, ...more });

const routesAfter = (...events: AnyEvent[]): Routes => {
  const routes = emptyRoutes();
  for (const one of events) {
    const change = routeChangeOf(one);
    if (change) applyRouteChange(routes, change);
  }
  return routes;
};

const endpoints = (messages: Message[]): string[] =>
  messages.map(({ kind, endpointId }) => `${kind} ${endpointId}`);

describe('the routes of webhooks', () => {
  it('lead a notification to the webhook of its account, as long as it has one', () => {
    const routes = routesAfter(settings(true));
    const [message] = messagesOf(routes, posted(), 'a');
    expect(message).to.deep.include({
      kind: 'status',
      endpointId: 'a',
      lane: letterId,
      type: 'letter.posted',
      letterId,
      status: 'posted',
      at,
    });
    expect(messagesOf(routes, posted(), 'b')).to.deep.equal([]);
    const gone = event('account-a', 'WebhookDisabled', { accountId: 'a', reason: 'gone' });
    for (const end of [settings(false), gone]) {
      expect(messagesOf(routesAfter(settings(true), end), posted(), 'a')).to.deep.equal([]);
    }
  });

  it('stay as they are when settings change that leave the webhook alone', () => {
    const data = { accountId: 'a', webhook: true, notificationEmail: true, keepsWebhook: true };
    expect(routeChangeOf(event('account-a', 'SettingsChanged', data))).to.equal(undefined);
  });

  it('lead what is no notification to nobody but audit webhooks, under its own name', () => {
    const routes = routesAfter(settings(true), subscribed('s1'));
    const messages = messagesOf(routes, tracked(), 'a');
    expect(endpoints(messages)).to.deep.equal(['audit s1']);
    expect(messages[0]?.type).to.equal('letter.tracking_number_assigned');
  });

  it('lead events of the wallet and the account to the status webhook, in one lane', () => {
    const routes = routesAfter(settings(true), subscribed('s1'));
    const messages = messagesOf(routes, event('wallet-a-0', 'FundsCredited'), 'a');
    expect(endpoints(messages)).to.deep.equal(['status a']);
    expect(messages[0]).to.include({ lane: 'account', type: 'wallet.credited' });
    expect(messages[0]).not.to.have.property('letterId');
  });

  it('keep to the events and the letter that an audit webhook asked for', () => {
    const routes = routesAfter(
      subscribed('all'),
      subscribed('some', { events: ['letter.posted'] }),
      subscribed('other', { letterId: randomUUID() }),
      subscribed('this', { letterId }),
      subscribed('gone'),
      event('account-a', 'AuditUnsubscribed', { accountId: 'a', subscriptionId: 'gone' }),
    );
    const told = (one: AnyEvent) => endpoints(messagesOf(routes, one, 'a'));
    expect(told(posted())).to.deep.equal(['audit all', 'audit some', 'audit this']);
    expect(told(tracked())).to.deep.equal(['audit all', 'audit this']);
  });

  it('lead the test of an audit webhook to that webhook only, while it is there', () => {
    const routes = routesAfter(
      settings(true),
      subscribed('s1', { events: ['letter.posted'] }),
      subscribed('s2'),
    );
    const tested = (subscriptionId: string) =>
      event('account-a', 'AuditWebhookTested', { accountId: 'a', subscriptionId });
    const test = tested('s1');
    const messages = messagesOf(routes, test, 'a');
    expect(endpoints(messages)).to.deep.equal(['audit s1']);
    expect(messages[0]).to.include({ lane: test.id, type: 'webhook.test' });
    expect(messagesOf(routes, tested('gone'), 'a')).to.deep.equal([]);
    expect(messagesOf(routes, tested('s1'), 'b')).to.deep.equal([]);
  });
});

describe('the body of a webhook', () => {
  it('says ids and states', () => {
    const eventId = '11111111-2222-4333-8444-555555555555';
    const message = { eventId, type: 'letter.posted', letterId, status: 'posted', at };
    expect(JSON.parse(statusBody(message, false))).to.deep.equal({
      type: 'letter.posted',
      timestamp: at,
      data: {
        notification_id: 'ntf_11111111222243338444555555555555',
        letter_id: letterId,
        status: 'posted',
        test: false,
      },
    });
    const credential = {
      ...message,
      sequence: 3,
      jwt: 'a.b.c',
      inclusionProof: null,
      logId: 'log',
    };
    expect(JSON.parse(credentialBody(credential, 'posted'))).to.deep.equal({
      type: 'letter.event.credential',
      timestamp: at,
      data: {
        letter_id: letterId,
        event_id: eventId,
        sequence: 3,
        status: 'posted',
        credential: 'a.b.c',
        inclusion_proof: null,
        log_id: 'log',
      },
    });
  });
});
