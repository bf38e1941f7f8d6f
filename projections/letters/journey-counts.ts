import { allRows, type Db } from '../../ground/db.ts';

/** Letters whose journeys were the same, by the day. */
export type JourneyCount = {
  intent: string;
  service: string;
  country: string;
  /** Month of posting, UTC: `2026-01`. */
  month: string;
  /** Local day from which it counts: the next one for letters posted after the cut-off. */
  countsFrom: string;
  /** Local day; null: not yet. */
  delivered: string | null;
  returned: boolean;
  letters: number;
};

/**
 * Counts letters that were posted from `from` on and before `until`, by their journeys. `zones`: the time zone of each
 * country. `hoursAfterCutOff`: between the cut-off of a day and its end.
 */
export const countJourneys = async (
  db: Db,
  wanted: {
    test: boolean;
    from: Date;
    until: Date;
    zones: readonly { country: string; zone: string }[];
    hoursAfterCutOff: number;
  },
): Promise<JourneyCount[]> => {
  const { test, from, until, zones, hoursAfterCutOff } = wanted;
  return allRows<JourneyCount>(
    db,
    `select j.intent, j.service, j.country,
       to_char(j.posted_at at time zone 'UTC', 'YYYY-MM') as month,
       to_char((j.counts_from at time zone z.zone) + $6 * interval '1 hour', 'YYYY-MM-DD') as "countsFrom",
       to_char(j.delivered_at at time zone z.zone, 'YYYY-MM-DD') as delivered,
       j.returned_at is not null as returned,
       count(*)::int as letters
     from read_models.journeys j
     join unnest($4::text[], $5::text[]) as z(country, zone) on z.country = j.country
     where j.test = $1 and j.posted_at >= $2 and j.posted_at < $3
     group by 1, 2, 3, 4, 5, 6, 7`,
    [
      ...[test, from, until, zones.map(({ country }) => country), zones.map(({ zone }) => zone)],
      hoursAfterCutOff,
    ],
  );
};
