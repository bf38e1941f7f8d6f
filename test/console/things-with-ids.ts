/** Things that the search of operators finds, written to the log as the service writes them. */
import { randomUUID } from 'node:crypto';
import { decide as decideMail, mailAggregate } from '../../commands/mails/mail.ts';
import { decide as decideOrder, orderAggregate } from '../../commands/payments/order.ts';
import { claimPayment, paymentAggregate } from '../../commands/payments/payment.ts';
import { requestTopUp, topUpAggregate } from '../../commands/payments/top-up.ts';
import type { Foundation } from '../../service/foundation/wing.ts';

const requestHash = 'd'.repeat(43);
const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();
const address = (digit: string): string => `0x${digit.repeat(40)}`;

type Owned = { accountId: string; letterId: string };

export const thingsWithIds = ({ commands }: Foundation) => {
  const { handler } = commands;
  const asOperator = () => ({ commandId: randomUUID(), actor: 'operator' as const });

  const order = async ({ accountId, letterId }: Owned): Promise<string> => {
    const orderId = randomUUID();
    const placed = {
      orderId,
      accountId,
      letterId,
      amountMicro: 3_150_000,
      commissionMicro: 150_000,
      currency: 'EUR' as const,
      amountMinor: 272,
      expiresAt: inAnHour(),
      requestHash,
      email: 'payer@example.com',
      checkoutUrl: 'https://checkout.example/cs_1',
    };
    await handler.handle(orderAggregate, orderId, asOperator(), (state) =>
      decideOrder(state, { type: 'PlaceOrder', placed }),
    );
    return orderId;
  };

  const topUp = async ({ accountId }: Owned): Promise<string> => {
    const topUpId = randomUUID();
    const terms = {
      method: 'card' as const,
      sessionId: `cs_${topUpId}`,
      currency: 'USD' as const,
      amountMinor: 1_000,
    };
    const asked = {
      topUpId,
      accountId,
      amountMicro: 10_000_000,
      terms,
      expiresAt: inAnHour(),
      requestHash,
      handed: 'https://checkout.example/cs_2',
    };
    await handler.handle(topUpAggregate, topUpId, asOperator(), (state) =>
      requestTopUp(state, { type: 'RequestTopUp', asked }),
    );
    return topUpId;
  };

  const payment = async ({ accountId }: Owned): Promise<string> => {
    const paymentId = randomUUID();
    const claim = {
      paymentId,
      network: 'eip155:8453',
      asset: address('8'),
      payTo: address('2'),
      amountMicro: 1_640_000,
      validBefore: Number.MAX_SAFE_INTEGER,
      accountId,
      operation: 'send_letter',
      requestHash,
      block: 41,
      payer: address('1'),
      nonce: `0x${'a'.repeat(64)}`,
      validAfter: '0',
      validUntil: '9007199254740991',
      signature: `0x${'c'.repeat(130)}`,
    };
    await handler.handle(paymentAggregate, paymentId, asOperator(), (state) =>
      claimPayment(state, { type: 'ClaimPayment', claim }),
    );
    return paymentId;
  };

  type MailChange = Parameters<typeof decideMail>[1];
  const changeMail = (mailId: string, command: MailChange) =>
    handler.handle(mailAggregate, mailId, asOperator(), (state) => decideMail(state, command));

  /** A mail that the mail server refused for now. */
  const refusedMail = async ({ accountId, letterId }: Owned): Promise<string> => {
    const mailId = randomUUID();
    const facts = { mailId, accountId, letterId, kind: 'delivered' };
    await changeMail(mailId, { type: 'AttemptMail', facts });
    const code = 'smtp_421';
    await changeMail(mailId, { type: 'RefuseMail', attempt: 1, code, final: false });
    return mailId;
  };

  /** The mail server takes it at the next attempt. */
  const sendMail = async (mailId: string, { accountId, letterId }: Owned): Promise<void> => {
    const facts = { mailId, accountId, letterId, kind: 'delivered' };
    await changeMail(mailId, { type: 'AttemptMail', facts });
    await changeMail(mailId, { type: 'ConfirmMail', attempt: 2 });
  };

  /** The operator sends a mail again that was taken at its second attempt, and the mail server refuses it. */
  const refuseAgain = async (mailId: string, { accountId, letterId }: Owned): Promise<void> => {
    const facts = { mailId, accountId, letterId, kind: 'delivered' };
    await changeMail(mailId, { type: 'AttemptMail', facts, again: randomUUID() });
    const code = 'smtp_421';
    await changeMail(mailId, { type: 'RefuseMail', attempt: 3, code, final: false });
  };

  return { order, topUp, payment, refusedMail, sendMail, refuseAgain };
};
