import { expect } from 'chai';
import { eraseLetter, letterAggregate } from '../../commands/letters/letter.ts';
import { reportProgress, startProduction } from '../../commands/letters/letter-production.ts';
import { decodeEvent } from '../../events/envelope.ts';
import { letterStream } from '../../events/letter.ts';
import { createEraseLetters } from '../../reactors/erase-letters.ts';
import { PartnerUnavailable, type PrintPartner } from '../../reactors/print-partner.ts';
import { aloneLease } from '../support/lease.ts';
import { createLetterWorld, letterTo, plainly } from '../support/letter-world.ts';

describe('the erasure of letters', () => {
  const setUp = async ({ wasGivenAgain = false, away = '' } = {}) => {
    const world = createLetterWorld();
    await world.fund(10_000n);
    const asked: string[] = [];
    const partner = (name: string, remembersJobs: boolean, house?: string): PrintPartner => ({
      name,
      ...(house === undefined ? {} : { house }),
      remembersJobs,
      recallsUnseen: true,
      submit: async () => undefined,
      status: async () => 'unknown',
      recall: async () => ({ answer: 'pending' }),
      datedAt: async () => undefined,
      async forget() {
        if (name === away) throw new PartnerUnavailable(`${name} is away`, true);
        asked.push(name);
      },
    });
    const reactor = createEraseLetters({
      handler: world.handler,
      dataKeys: world.dataKeys,
      files: world.files,
      partners: [
        partner('hotfolder', false),
        partner('simulator', false),
        partner('http', true, 'https://second.example/'),
        partner('office', true),
      ],
      restored: { wasGivenAgain: async () => wasGivenAgain },
    });
    /** The partners that are asked to forget a letter once it is erased. */
    const askedAbout = async (letterId: string): Promise<string[]> => {
      await world.handler.handle(letterAggregate, letterId, world.context(), (letter) =>
        eraseLetter(letter, { type: 'EraseLetter', reason: 'deleted' }),
      );
      for (const recorded of await world.store.readStream(letterStream(letterId))) {
        await reactor.react(decodeEvent(recorded), recorded.position)?.(aloneLease);
      }
      expect(await world.dataKeys.get(letterStream(letterId))).to.equal(undefined);
      return asked;
    };
    const failedAt = async (partner: string, house?: string): Promise<string> => {
      const { letterId } = await world.letters.send(letterTo(), plainly, world.asked('failed'));
      await world.handler.handle(letterAggregate, letterId, world.context(), (letter) =>
        startProduction(letter, {
          type: 'StartProduction',
          partner,
          house,
          jobId: letterId,
          source: 'partner',
        }),
      );
      await world.handler.handle(letterAggregate, letterId, world.context(), (letter) =>
        reportProgress(letter, {
          type: 'ReportProgress',
          source: 'operator',
          step: 'failed',
          code: 'print_failure',
          stage: 'print',
          retryable: false,
          detail: 'given up',
        }),
      );
      return letterId;
    };
    return { world, asked, askedAbout, failedAt };
  };

  it('asks the print house that had the letter, and the folder, which may have it from before a restore', async () => {
    const { askedAbout, failedAt } = await setUp();
    expect(await askedAbout(await failedAt('http'))).to.have.members(['hotfolder', 'http']);
  });

  it('asks no print house to forget a letter that one at an earlier address has, unless it may have got that letter again', async () => {
    for (const wasGivenAgain of [false, true]) {
      const { askedAbout, failedAt } = await setUp({ wasGivenAgain });
      const asked = await askedAbout(await failedAt('http', 'https://first.example/'));
      expect(asked).to.have.members(wasGivenAgain ? ['hotfolder', 'http'] : ['hotfolder']);
    }
    const { askedAbout, failedAt } = await setUp();
    const asked = await askedAbout(await failedAt('http', 'https://second.example/'));
    expect(asked).to.have.members(['hotfolder', 'http']);
  });

  it('asks a print house even while the folder is away, and is not done then', async () => {
    const { asked, askedAbout, failedAt } = await setUp({ away: 'hotfolder' });
    const outcome = await askedAbout(await failedAt('http')).catch((error: unknown) => error);
    expect(outcome).to.be.instanceOf(PartnerUnavailable);
    expect(asked).to.deep.equal(['http']);
  });

  it('asks every partner of live letters about one that the operator printed', async () => {
    const { askedAbout, failedAt } = await setUp();
    const live = ['hotfolder', 'http', 'office'];
    expect(await askedAbout(await failedAt('operator'))).to.have.members(live);
  });

  it('asks no print house about a draft', async () => {
    const { world, askedAbout } = await setUp();
    const draft = { ...plainly, draft: true };
    const { letterId } = await world.letters.send(letterTo(), draft, world.asked('draft'));
    expect(await askedAbout(letterId)).to.deep.equal(['hotfolder']);
  });

  it('asks only the simulator about a test letter', async () => {
    const { world, askedAbout } = await setUp();
    const asked = world.asked('draft', '', { test: true });
    const { letterId } = await world.letters.send(letterTo(), { ...plainly, draft: true }, asked);
    expect(await askedAbout(letterId)).to.deep.equal(['simulator']);
  });
});
