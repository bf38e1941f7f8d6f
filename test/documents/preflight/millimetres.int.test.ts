import { expect } from 'chai';

import type { Finding } from '../../../postal/preflight-findings.ts';
import type { Box } from '../../../postal/types.ts';
import { black, drawPdf, type Preflight, request, startPreflight } from './samples.ts';

const within = 0.5;

const expectBox = (found: Box | undefined, wanted: Box): void => {
  for (const side of ['x', 'y', 'width', 'height'] as const) {
    expect(found?.[side], side).to.be.closeTo(wanted[side], within);
  }
};

describe('the millimetres of findings', () => {
  let preflight: Preflight;
  before(() => {
    preflight = startPreflight();
  });
  after(() => preflight.close());

  const find = async (...boxes: Box[]): Promise<Finding[]> => {
    const pdf = await drawPdf((doc) => {
      for (const box of boxes) black(doc, box);
    });
    return (await preflight.check(pdf, request())).findings;
  };

  it('gives the box of what stands in the address field, cut at its edge', async () => {
    const [finding] = await find({ x: 15, y: 80, width: 30, height: 20 });
    expectBox(finding?.box_mm, { x: 20, y: 80, width: 25, height: 10 });
  });

  it('moves content down out of the address field when that is the shortest way', async () => {
    const [finding] = await find({ x: 30, y: 83.3, width: 30, height: 20 });
    expect(finding?.move_mm?.x).to.equal(0);
    expect(finding?.move_mm?.y).to.be.closeTo(6.7, within).and.at.least(6.7);
  });

  it('moves content right when that is the shortest way', async () => {
    const [finding] = await find({ x: 100, y: 60, width: 20, height: 10 });
    expect(finding?.move_mm?.y).to.equal(0);
    expect(finding?.move_mm?.x).to.be.closeTo(5, within);
  });

  it('does not move content off the page: the next way out is taken', async () => {
    // Left would be the shortest, but 40 mm of content do not fit into the 15 mm next to the field.
    const [finding] = await find({ x: 8, y: 50, width: 40, height: 10 });
    expect(finding?.move_mm?.x).to.equal(0);
    expect(finding?.move_mm?.y).to.be.closeTo(-15, within);
  });

  it('measures what hangs together, so that the move frees the zone', async () => {
    const [finding] = await find(
      { x: 30, y: 86, width: 30, height: 3 },
      { x: 30, y: 82, width: 30, height: 3 },
    );
    expect(finding?.move_mm?.y).to.be.closeTo(8, within);
  });

  for (const [zone, box, move] of [
    ['left_edge', { x: 2.2, y: 150, width: 30, height: 10 }, { x: 2.8, y: 0 }],
    ['right_edge', { x: 180, y: 150, width: 28, height: 10 }, { x: -3, y: 0 }],
    ['top_edge', { x: 100, y: 1, width: 30, height: 10 }, { x: 0, y: 4 }],
    ['bottom_edge', { x: 100, y: 280, width: 30, height: 14.5 }, { x: 0, y: -2.5 }],
  ] as const) {
    it(`says how far content must move out of the ${zone}`, async () => {
      const findings = await find(box);
      expect(findings.map(({ code }) => code)).to.deep.equal(['ink_outside_safe_area']);
      expect(findings[0]?.zone).to.equal(zone);
      expect(findings[0]?.move_mm?.x).to.be.closeTo(move.x, within);
      expect(findings[0]?.move_mm?.y).to.be.closeTo(move.y, within);
    });
  }

  it('gives no move where a shift is not enough', async () => {
    const findings = await find({ x: 1, y: 150, width: 208, height: 10 });
    expect(findings.map(({ zone }) => zone)).to.have.members(['left_edge', 'right_edge']);
    for (const finding of findings) expect(finding).not.to.have.property('move_mm');
  });

  it('a letter that is moved as told passes', async () => {
    const box = { x: 40, y: 70, width: 60, height: 25 };
    const [finding] = await find(box);
    const { x = 0, y = 0 } = finding?.move_mm ?? {};
    expect(x !== 0 || y !== 0).to.equal(true);
    expect(await find({ ...box, x: box.x + x, y: box.y + y })).to.deep.equal([]);
  });

  it('does not take content that adjoins a zone for content in it', async () => {
    expect(await find({ x: 105, y: 45, width: 30, height: 45 })).to.deep.equal([]);
    expect(await find({ x: 5, y: 150, width: 200, height: 10 })).to.deep.equal([]);
  });

  it('sees a hairline in the outermost millimetre of the page', async () => {
    const [finding] = await find({ x: 0, y: 100, width: 0.2, height: 50 });
    expect(finding).to.include({ code: 'ink_outside_safe_area', zone: 'left_edge' });
  });
});
