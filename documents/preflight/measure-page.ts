import type { Geometry } from '../../postal/geometry.ts';
import { countInk, type InkMap, inkMapOf, inkWithin, pageBox } from '../../postal/ink-map.ts';
import { findPlacement, isNearSheet, type Placement } from '../../postal/page-placement.ts';
import {
  isSheetSize,
  type PageFacts,
  type TextFlaw,
  tinyTextPt,
} from '../../postal/preflight-rules.ts';
import { controlZones, overlaps, united } from '../../postal/preflight-zones.ts';
import { measureZones } from '../../postal/zone-ink.ts';
import type { Character, PdfPage } from '../pdf/pdf-document.ts';
import type { Picture } from './hidden-text.ts';
import { legibleIn } from './legible-text.ts';
import { linesOf, windowText } from './window-text.ts';

/** 4 pixels per mm: a pixel is 0.25 mm, half of the accuracy that is promised. */
const inkDpi = 101.6;

export type MeasuredPage = {
  facts: PageFacts;
  /** The page is not as it must be, and something could be done about it by placing it anew. */
  needsPlacing: boolean;
  /** How that is done, where it can be: at its place, or with an address page in front of it. */
  placement?: Placement;
  placementBehindCover?: Placement;
};

function pictureOf(page: PdfPage): Picture {
  const widthPx = Math.max(1, Math.round((page.width * inkDpi) / 25.4));
  const heightPx = Math.max(1, Math.round((page.height * inkDpi) / 25.4));
  return { grey: page.render(widthPx, heightPx, 'grey'), widthPx, heightPx, page };
}

const inkOf = ({ grey, widthPx, heightPx, page }: Picture): InkMap =>
  inkMapOf(grey, widthPx, heightPx, page);

/** The flaw of a character that is not readable in a zone: it is invisible or tiny. */
function flawOf({ box, sizePt }: Character, map: InkMap): TextFlaw['kind'] | undefined {
  if (countInk(map, box) === 0) return 'invisible';
  return sizePt < tinyTextPt ? 'tiny' : undefined;
}

/** Characters in zones of the sheet that leave no ink or are too small to read. */
function flawCollector(map: InkMap, sheet: Geometry, firstPage: boolean) {
  const zones = controlZones(sheet, firstPage);
  const page = pageBox(map);
  const flaws = new Map<string, TextFlaw>();
  const add = (character: Character): void => {
    if (!overlaps(character.box, page)) return;
    const zone = zones.find((candidate) => overlaps(candidate.box, character.box));
    const kind = zone && flawOf(character, map);
    if (zone === undefined || kind === undefined) return;
    const key = `${kind} ${zone.name}`;
    const known = flaws.get(key)?.box ?? character.box;
    flaws.set(key, { kind, zone: zone.name, box: united(known, character.box) });
  };
  return { add, flaws };
}

/** `number` from 1; `isFirst`: it is addressed. With `autoFix`, ways to place a page that does not fit are searched. */
type Where = {
  number: number;
  sheet: Geometry;
  autoFix: boolean;
  isFirst: boolean;
  /** The address stands in its window. */
  isAddressed: boolean;
  isUnscaledScan: boolean;
};

/** The lines of the characters that the picture of the page shows. The page loses them. */
function legibleLines(page: PdfPage, picture: Picture, characters: Character[]): string[] {
  if (characters.length === 0) return [];
  page.hide(characters);
  return linesOf(legibleIn(picture, pictureOf(page), characters));
}

/** Fonts that are painted with, but not in the file; and flaws of text, where the page has zones. */
function measureText(
  page: PdfPage,
  picture: Picture | undefined,
  map: InkMap | undefined,
  { isFirst, isAddressed, sheet }: Where,
) {
  const missing = new Set<string>();
  const collector = map && flawCollector(map, sheet, isFirst);
  const window = isAddressed ? windowText(sheet) : undefined;
  page.eachCharacter((character) => {
    if (!character.font.embedded && !character.unpainted) missing.add(character.font.name);
    if (character.text === '') return;
    collector?.add(character);
    window?.add(character);
  });
  return {
    fontsNotEmbedded: [...missing],
    textFlaws: [...(collector?.flaws.values() ?? [])],
    windowLines: picture && window ? legibleLines(page, picture, window.characters) : [],
  };
}

/** The facts about a page that cannot be loaded. */
export const damagedPage = (number: number): MeasuredPage => ({
  facts: {
    page: number,
    width: 0,
    height: 0,
    damaged: true,
    empty: false,
    zoneInk: [],
    textFlaws: [],
    fontsNotEmbedded: [],
    windowLines: [],
  },
  needsPlacing: false,
});

/**
 * Measures one page on the sheet that it is to be printed on. A page of another size is drawn only
 * if it could be placed on the sheet, so that the picture is never much larger than one.
 */
export function measurePage(page: PdfPage, where: Where): MeasuredPage {
  const { number, sheet, autoFix, isFirst, isAddressed, isUnscaledScan } = where;
  const picture = isNearSheet(page, sheet) ? pictureOf(page) : undefined;
  const map = picture && inkOf(picture);
  const onSheet = isSheetSize(page, sheet) ? map : undefined;
  const zoneInk = onSheet === undefined ? [] : measureZones(onSheet, sheet, isFirst, isAddressed);
  const needsPlacing = onSheet === undefined || zoneInk.length > 0;
  // An address that is moved, or scaled, is no longer in the middle of its window.
  const search = autoFix && needsPlacing && map !== undefined && !isAddressed;
  return {
    facts: {
      page: number,
      width: page.width,
      height: page.height,
      damaged: false,
      empty: map !== undefined && inkWithin(map, pageBox(map)) === undefined,
      zoneInk,
      ...measureText(page, picture, onSheet, where),
      ...(isUnscaledScan && { isUnscaledScan }),
    },
    needsPlacing,
    ...(search && {
      placement: findPlacement(map, sheet, isFirst),
      placementBehindCover: findPlacement(map, sheet, false),
    }),
  };
}
