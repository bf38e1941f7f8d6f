import { type ClosureCodes, closureCodePeriod } from '../../commands/accounts/closure-codes.ts';
import type { EmailTokens } from '../../commands/accounts/confirmation.ts';
import { linkGeneration, type RecoveryTokens } from '../../commands/accounts/recovery.ts';
import type { ExistingLetter } from '../../commands/letters/letter.ts';
import type { Clock } from '../../ground/clock.ts';
import type { MicroUsd } from '../../money/amounts.ts';
import { chargeOfCents, totalOf } from '../../money/charge.ts';
import { windowFrom } from '../../postal/delivery-window.ts';
import type { Language } from '../../postal/stationery.ts';
import type { CountryCode, ServiceId } from '../../postal/types.ts';
import type { ClosureRequest } from '../../reactors/closure-mails.ts';
import type { MailText } from '../../reactors/deliver-mail.ts';
import { numberFollows } from '../../reactors/mail-plan.ts';
import type { MailRequest } from '../../reactors/mail-subject.ts';
import {
  confirmMail,
  contractBreachedMail,
  emailChangedMail,
  orderCreditedMail,
  recoveryMail,
  signInMail,
  walletChargedBackMail,
  walletCreditedMail,
  webhookDisabledMail,
} from './account-mails.ts';
import { approvalMail } from './approval-mail.ts';
import { accountErasedMail, closureCodeMail } from './closure-mails.ts';
import { type MailService, withService } from './mail-layout.ts';
import {
  type LetterStatusNews,
  letterStatusMail,
  type MailedLetter,
  shippedMail,
  trackingLateMail,
  trackingReadyMail,
} from './mail-templates.ts';

const hourMs = 3_600_000;
/** A confirmation link stays valid for some days, for readers who are away. */
const confirmForMs = 7 * 24 * hourMs;

type LetterRequest = Extract<MailRequest, { letterId: string; letter: ExistingLetter }>;

/** Undefined once the letter has arrived or come back. */
const expectedWindow = ({ status, returned, terms, releaseAt, postedAt }: ExistingLetter) =>
  status === 'delivered' || returned
    ? undefined
    : windowFrom({
        country: terms.country as CountryCode,
        expected: terms.expectedDelivery,
        releaseAt,
        postedAt,
      });

const mailedLetter = ({
  letterId,
  letter,
  as,
  order,
  recipientPage,
}: LetterRequest): MailedLetter => ({
  letterId,
  service: letter.terms.service as ServiceId,
  toName: letter.personal?.to.name,
  reference: letter.personal?.reference,
  expectedDelivery: expectedWindow(letter),
  // A mail that goes on record as without a number must not have one.
  trackingNumber: as === numberFollows ? undefined : letter.trackingNumber,
  language: letter.personal?.stationery?.language,
  priceMicro: totalOf(chargeOfCents(letter.terms.price.charge)),
  test: letter.terms.test,
  recipientPage,
  order,
});

const newsOf = ({ cause }: LetterRequest): LetterStatusNews => {
  switch (cause.type) {
    case 'LetterDelivered':
      return { status: 'delivered', evidence: cause.data.evidence };
    case 'LetterReturned':
      return { status: 'returned', reason: cause.data.reason };
    case 'LetterFailed':
      return { status: 'failed', detail: cause.data.detail, stage: cause.data.stage };
    case 'LetterCancelled':
      return { status: 'cancelled' };
    default:
      throw new Error(`${cause.type} is no news of a status`);
  }
};

const writeLetterMail = (request: LetterRequest): MailText => {
  const letter = mailedLetter(request);
  if (request.kind === 'shipped') return shippedMail(letter);
  if (request.kind === 'tracking_ready') return trackingReadyMail(letter);
  if (request.kind === 'tracking_late') return trackingLateMail(letter);
  return letterStatusMail(letter, newsOf(request));
};

/** The link by which the reader of a mail unsubscribes the address from the account's mails. */
export const unsubscribeUrlIn =
  (ports: {
    baseUrl: string;
    emailTokens: EmailTokens;
    digestOfEmail: (email: string) => string;
  }) =>
  ({ accountId, to }: { accountId: string; to: string }): string => {
    const token = ports.emailTokens.issue({
      purpose: 'unsubscribe',
      accountId,
      address: 'notifications',
      expiresAtMs: 0,
      digest: ports.digestOfEmail(to),
    });
    return `${ports.baseUrl}/unsubscribe?token=${token}`;
  };

type WriterPorts = {
  baseUrl: string;
  tokens: RecoveryTokens;
  /** Of links that sign in to the console. */
  signInTokens: RecoveryTokens;
  emailTokens: EmailTokens;
  digestOfEmail: (email: string) => string;
  clock: Clock;
  /** The page of an approval, with the token of the approver. */
  approvalPage: (of: {
    approvalId: string;
    approver: string;
    language: Language | undefined;
  }) => string;
  /** The sender of the mails. */
  service: MailService;
  closureCodes: Pick<ClosureCodes, 'codeOf'>;
};

const writeApprovalMail = (
  { approvalPage }: WriterPorts,
  request: Extract<MailRequest, { kind: 'approval' }>,
): MailText => {
  const { accountId, test, language, approver, approval, about } = request;
  const { approvalId, expiresAt } = approval;
  const url = approvalPage({ approvalId, approver, language });
  const mail = { accountId, test, language, approvalId, expiresAt, url };
  if (about.kind === 'policy_change') {
    const policy = about.change?.change.subject ?? '';
    return approvalMail({ ...mail, about: { kind: 'policy_change', policy } });
  }
  const { service, country, pages, price } = about.letter.terms;
  const priceMicro = totalOf(chargeOfCents(price.charge));
  return approvalMail({
    ...mail,
    about: { kind: 'letter', service, country, pages, priceMicro },
  });
};

const writeClosureMail = (
  { closureCodes, baseUrl, clock }: WriterPorts,
  request: ClosureRequest,
): MailText => {
  const { accountId, test, language } = request.account;
  const about = { accountId, test, language };
  if (request.kind === 'account_erased') {
    const { certificate } = request;
    const { closureId = '' } = request.account.closure ?? {};
    const url = `${baseUrl}/api/account/closure/${closureId}`;
    return accountErasedMail({ ...about, certificate, url });
  }
  // The code is of this attempt, because one that was made with the request may have expired.
  const code = closureCodes.codeOf(accountId, request.email, closureCodePeriod(clock()));
  return closureCodeMail({ ...about, code });
};

const writeMoneyMail = (request: Extract<MailRequest, { amountMicro: MicroUsd }>): MailText =>
  request.kind === 'wallet_credited' ? walletCreditedMail(request) : walletChargedBackMail(request);

/** A recovery link, and a link to sign in, is good for an hour from when it is written. */
const writeMail = (ports: WriterPorts, request: MailRequest): MailText => {
  if (request.kind === 'approval') return writeApprovalMail(ports, request);
  if ('letter' in request) return writeLetterMail(request);
  if (request.kind === 'order_credited') return orderCreditedMail(request);
  if ('amountMicro' in request) return writeMoneyMail(request);
  if (request.kind === 'contract_breached') return contractBreachedMail(request);
  if (request.kind === 'webhook_disabled') return webhookDisabledMail(request);
  if (request.kind === 'closure_code' || request.kind === 'account_erased') {
    return writeClosureMail(ports, request);
  }
  const { accountId, test, language } = request.account;
  // A page opens in the language of its reader's browser where no other is named.
  const place = (page: string): string =>
    `${ports.baseUrl}${page}${language === undefined ? '' : `?language=${language}`}`;
  if (request.kind === 'confirm') {
    const { address, email } = request;
    const expiresAtMs = ports.clock() + confirmForMs;
    const digest = ports.digestOfEmail(email);
    const grant = { purpose: 'confirm' as const, accountId, address, digest, expiresAtMs };
    const url = `${place('/auth/confirm')}#token=${ports.emailTokens.issue(grant)}`;
    return confirmMail({ url, test, language, address, accountId });
  }
  if (request.kind === 'email_changed') {
    const { email, stoppableUntil } = request.former;
    const token = ports.emailTokens.issue({
      purpose: 'stop',
      accountId,
      address: 'registered',
      digest: ports.digestOfEmail(email),
      expiresAtMs: Date.parse(stoppableUntil),
    });
    const url = `${place('/auth/email/stop')}#token=${token}`;
    return emailChangedMail({ url, test, language, accountId, until: stoppableUntil });
  }
  const expiresAtMs = ports.clock() + hourMs;
  const recoveries = linkGeneration(request.account);
  const grant = { accountId, recoveries, expiresAtMs };
  if (request.kind === 'sign_in') {
    const token = ports.signInTokens.issue(grant);
    const url = `${place('/console/sign-in/link')}#token=${token}`;
    return signInMail({ url, test, language, accountId });
  }
  const token = ports.tokens.issue(grant);
  const url = `${place('/auth/recover')}#token=${token}`;
  return recoveryMail({ url, test, language, accountId });
};

/** Writes mails, each of which says who sends it. */
export const createMailWriter =
  (ports: WriterPorts) =>
  (request: MailRequest): MailText =>
    withService(writeMail(ports, request), ports.service);
