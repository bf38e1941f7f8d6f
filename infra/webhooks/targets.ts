/** Where the messages of an endpoint go, and their bodies: one `Targets` per kind of endpoint. */
import type { Endpoint } from '../../reactors/webhook-routes.ts';
import type { DueMessage } from './messages.ts';

/** An endpoint as its account's stream has it now. */
export type Target = {
  url: string;
  /** Each of them signs: two during a rotation. */
  secrets: string[];
  /** Each signs with Ed25519 as well (`v1a`), where the service does so: two after a rotation. */
  signers?: readonly ((data: string) => Buffer)[];
  /** The endpoint belongs to a test account. */
  test: boolean;
};

export type Targets = {
  /** Undefined: it is not to be called any more. */
  resolve(endpoint: Endpoint): Promise<Target | undefined>;
  /** `webhook-id`: the same over all attempts. */
  webhookIdOf(message: DueMessage): string;
  /** Bodies by event id. A missing body does not exist yet; the caller asks again shortly. */
  bodies(messages: DueMessage[], target: Target): Promise<Map<string, string>>;
  /** The receiver is gone (410), or did nothing but fail for five days. */
  disable(endpoint: Endpoint, target: Target, reason: 'gone' | 'failing'): Promise<void>;
};
