import { expect } from 'chai';
import fc from 'fast-check';
import { clearanceMm, geometryOf } from '../../../postal/geometry.ts';
import { countInk, grown, inkMapOf, inkWithin, pageBox } from '../../../postal/ink-map.ts';
import { findPlacement } from '../../../postal/page-placement.ts';
import { contains, isWindow } from '../../../postal/preflight-zones.ts';
import { services } from '../../../postal/services.ts';
import type { Box } from '../../../postal/types.ts';
import { measureZones, shiftOutOf } from '../../../postal/zone-ink.ts';

const sheet = geometryOf('DE', 'de_standardbrief');
const pxPerMm = 2;

/** A page with black boxes, mm. */
function pageWith(boxes: Box[]) {
  const [width, height] = [sheet.page.width * pxPerMm, sheet.page.height * pxPerMm];
  const grey = new Uint8Array(width * height).fill(255);
  for (const box of boxes) {
    for (let y = box.y * pxPerMm; y < (box.y + box.height) * pxPerMm; y++) {
      grey.fill(0, y * width + box.x * pxPerMm, y * width + (box.x + box.width) * pxPerMm);
    }
  }
  return inkMapOf(grey, width, height, sheet.page);
}

const boxOnPage = fc.record({
  x: fc.integer({ min: 0, max: 180 }),
  y: fc.integer({ min: 0, max: 260 }),
  width: fc.integer({ min: 1, max: 30 }),
  height: fc.integer({ min: 1, max: 37 }),
});

const overlap = (a: Box, b: Box): number =>
  Math.max(0, Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x)) *
  Math.max(0, Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y));

describe('the ink map', () => {
  it('finds the ink of a box in any other box', () => {
    fc.assert(
      fc.property(boxOnPage, boxOnPage, (drawn, asked) => {
        const map = pageWith([drawn]);
        expect(countInk(map, asked)).to.equal(overlap(drawn, asked) * pxPerMm ** 2);
        expect(inkWithin(map, pageBox(map))).to.deep.equal(drawn);
        const found = inkWithin(map, asked);
        if (found === undefined) expect(overlap(drawn, asked)).to.equal(0);
        else expect(found.width * found.height).to.equal(overlap(drawn, asked));
      }),
      { numRuns: 60 },
    );
  });

  it('frees the zone when the only content is moved as told', () => {
    fc.assert(
      fc.property(boxOnPage, (drawn) => {
        const [intruder] = measureZones(pageWith([drawn]), sheet, true);
        const shift = intruder && shiftOutOf(intruder, sheet);
        if (intruder === undefined || shift === undefined) return;
        const moved = { ...drawn, x: drawn.x + shift.x, y: drawn.y + shift.y };
        expect(overlap(moved, intruder.zone.box)).to.equal(0);
      }),
      { numRuns: 100 },
    );
  });
});

describe('the placement of a page', () => {
  it('leaves a page that fits where it is', () => {
    const map = pageWith([{ x: 25, y: 100, width: 100, height: 100 }]);
    expect(findPlacement(map, sheet, true)).to.deep.equal({ scale: 1, x: 0, y: 0 });
  });

  it('gives up below 90 %', () => {
    const map = pageWith([
      { x: 0, y: 45, width: 210, height: 45 },
      { x: 0, y: 0, width: 210, height: 20 },
    ]);
    expect(findPlacement(map, sheet, true)).to.equal(undefined);
  });
});

describe('the windows of the envelope', () => {
  it('are kept free for our blocks, which stand 3 mm inside of them on every sheet', () => {
    for (const { id, country } of Object.values(services)) {
      const one = geometryOf(country, id);
      const inside = one.noPrint.filter(isWindow).map(({ box }) => grown(box, -clearanceMm + 1e-9));
      for (const block of [one.window, one.senderOnDocument]) {
        expect(
          inside.some((window) => contains(window, block)),
          id,
        ).to.equal(true);
      }
    }
  });

  it('are 5 mm away from what is moved: at its place the page stays as it is', () => {
    fc.assert(
      fc.property(boxOnPage, (drawn) => {
        const map = pageWith([drawn]);
        const placement = findPlacement(map, sheet, true);
        if (placement === undefined) return;
        const { scale, x, y } = placement;
        const moved = {
          x: drawn.x * scale + x,
          y: drawn.y * scale + y,
          width: drawn.width * scale,
          height: drawn.height * scale,
        };
        const [window] = sheet.noPrint.filter(isWindow);
        // A pixel counts where its middle is.
        expect(window && overlap(moved, grown(window.box, 5 - 1 / pxPerMm))).to.equal(0);
      }),
      { numRuns: 60 },
    );
  });
});
