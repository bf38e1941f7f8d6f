/** The pages of a long letter, as its approver sees them. */
import { expect } from 'chai';
import type { Page } from 'puppeteer-core';
import { emailApprover } from '../../commands/guards/email-approver.ts';
import { approvalLinksOf } from '../../service/wings/approval-page.ts';
import { letterTo, type Sent, useService } from '../support/client.ts';
import { useBrowser } from '../support/use-browser.ts';

const pages = 60;
const [boss, chief] = ['boss@example.com', 'chief@example.com'];

type Held = Sent & { approval_id: string; approval_url: string };

describe('the pictures of a long letter that waits for approval', function () {
  this.timeout(300_000);
  const api = useService({ LIMIT_RATE_PER_ADDRESS: '12' });
  const browser = useBrowser();

  /** A letter that waits, and the address of its page for an approver. */
  const held = async (letter: object) => {
    const owner = await api.register();
    const agent = await api.newKey(owner, 'send');
    await owner.put(`/auth/keys/${agent.id}/policy`, {
      rules: [
        { id: 'all', effect: 'allow' },
        { id: 'ask-me', effect: 'hold' },
      ],
      approvals: { approvers: [boss, chief] },
    });
    const sent = await agent.post<Held>('/api/send', letterTo('DE', letter));
    expect(sent.status, sent.text).to.equal(202);
    expect(sent.body.pages).to.equal(pages);
    const { foundation } = api.service().service;
    const links = approvalLinksOf(foundation);
    const { approval_id: id } = sent.body;
    const addressFor = (email: string): string => {
      const { account_id: accountId } = owner.account;
      const approver = emailApprover(foundation.keys.indexOf, accountId, email);
      return `/approvals/${id}?token=${links.tokenOf(id, approver)}`;
    };
    return { addressFor };
  };

  const isDrawn = '[...document.images].every((one) => one.complete)';
  const scroll = async (page: Page): Promise<void> => {
    for (let n = 0; n < pages; n++) {
      await page.evaluate(`document.images[${n}].scrollIntoView()`);
      await page.evaluate('new Promise(requestAnimationFrame)');
    }
  };

  const lines = (text: string, count: number) => `${text}\n`.repeat(count);
  const letters: Record<string, object> = {
    text: { content: lines('Lorem ipsum dolor sit amet, consetetur sadipscing elitr', 2_900) },
    'shaped text': {
      content: lines('السلام عليكم ورحمة الله وبركاته نكتب إليكم هذه الرسالة', 2_900),
    },
  };
  for (const [kind, letter] of Object.entries(letters)) {
    it(`appear when the approver scrolls to them (${kind})`, async () => {
      const { addressFor } = await held(letter);
      const { page, complaints } = await browser.open();
      await page.goto(api.service().url + addressFor(boss));
      await scroll(page);
      await page.waitForFunction(isDrawn, { timeout: 120_000 });

      expect(complaints).to.deep.equal([]);
      const widths = '[...document.images].map((one) => one.naturalWidth)';
      expect(await page.evaluate(widths))
        .to.have.length(pages)
        .and.not.include(0);
    });
  }
});
