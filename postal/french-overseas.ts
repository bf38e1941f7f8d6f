/**
 * The supplement of La Poste for letters above 100 g to overseas France (complément aérien), in euro cents.
 *
 * Source for a supplement for each 10 g of such a letter: aide.laposte.fr. The amounts are those of 2022 as public programs
 * copied them. Amounts of later years were not found. CHOICE: it is counted for the whole weight, as it was when it
 * began at 20 g, so that postage is not undercharged.
 */
const freeGrams = 100;
const stepGrams = 10;

/** Zone 2: New Caledonia, French Polynesia, Wallis and Futuna, and the Southern Territories. 980 is Monaco. */
const zone2 = /^98[1-9]/;
/** Zone 1: the departments, and the islands that have codes from 97. */
const zone1 = /^97/;

const centsPerStep = (postalCode: string): number => {
  if (zone2.test(postalCode)) return 11;
  return zone1.test(postalCode) ? 5 : 0;
};

export const overseasSupplement = (postalCode: string, grams: number): bigint =>
  grams <= freeGrams ? 0n : BigInt(centsPerStep(postalCode) * Math.ceil(grams / stepGrams));
