import type { HeldMail } from '../../service/wings/held-mails.ts';
import { count, type Print } from '../command.ts';

export const printHeldMails = (mails: readonly HeldMail[], print: Print): void => {
  print(`mails: ${count(mails.length)} may have been sent and are held back`);
  for (const { mailId, kind, stream } of mails) {
    print(`  mail ${mailId} (${kind})${stream === null ? '' : `  ${stream}`}`);
  }
};
