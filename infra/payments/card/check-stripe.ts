import { type Check, fail, ok } from '../../../ground/check.ts';
import type { StripeSettings } from './stripe.ts';

const timeoutMs = 8_000;

/** Whether Stripe accepts the key that reads checkouts. Nothing is charged. */
export const checkStripe = (settings: StripeSettings | undefined): Check => ({
  name: 'stripe',
  remedy: 'allow outgoing connections to Stripe, or wait until it answers',
  async run() {
    if (!settings) return ok('not configured (STRIPE_SECRET_KEY)');
    const base = settings.apiBase ?? 'https://api.stripe.com';
    const answer = await fetch(`${base}/v1/checkout/sessions?limit=1`, {
      headers: { authorization: `Bearer ${settings.secretKey}` },
      signal: AbortSignal.timeout(timeoutMs),
    });
    await answer.body?.cancel();
    if (answer.ok) return ok(`${new URL(base).host} accepts the key`);
    if (answer.status === 401 || answer.status === 403) {
      return fail(
        `${new URL(base).host} refuses the key (${answer.status})`,
        'set STRIPE_SECRET_KEY to a key that may write checkout sessions',
      );
    }
    throw new Error(`${new URL(base).host} answers ${answer.status}`);
  },
});
