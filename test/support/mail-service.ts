import { expect } from 'chai';
import { until, useService } from './client.ts';
import {
  asksToConfirm,
  type ReceivedMail,
  startSmtpServer,
  type TestSmtpServer,
  tokenIn,
} from './smtp-server.ts';

/** A service for the tests of a file, and the server that takes its mails. */
export const useMailService = (
  more: Record<string, string> = {},
  hooks: Parameters<typeof useService>[1] = {},
) => {
  const settings: Record<string, string> = { MAIL_FROM: 'post@letters.example.org', ...more };
  let server: TestSmtpServer | undefined;
  before(async () => {
    server = await startSmtpServer();
    settings.SMTP_URL = server.url;
  });
  const api = useService(settings, hooks);
  after(() => server?.stop());
  const smtp = (): TestSmtpServer => server ?? expect.fail('it runs while tests run');
  const mailsTo = (address: string): ReceivedMail[] => smtp().mailsTo(address);
  /** Waits for a mail to an address for which `is` is true, and returns the newest. */
  const mailTo = async (address: string, is: (mail: ReceivedMail) => boolean) => {
    const found = () => mailsTo(address).findLast(is);
    await until(async () => found() !== undefined);
    return found() ?? expect.fail('it arrived');
  };
  /** The token of the mail that asks an address to confirm it. */
  const confirmationToken = async (address: string): Promise<string> =>
    tokenIn(await mailTo(address, asksToConfirm));
  return { ...api, smtp, mailsTo, mailTo, confirmationToken };
};
