import type { LetterTerms } from '../../events/letter.ts';
import { type Geometry, geometryOf } from '../../postal/geometry.ts';
import type { CountryCode, ServiceId } from '../../postal/types.ts';

/** The sheet that a letter is printed on. */
export const sheetOf = ({
  country,
  service,
  envelope,
  layout,
}: Pick<LetterTerms, 'country' | 'service' | 'envelope' | 'layout'>): Geometry =>
  geometryOf(
    country as CountryCode,
    service as ServiceId,
    envelope as Parameters<typeof geometryOf>[2],
    layout ?? 1,
  );
