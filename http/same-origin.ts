type Sent = { 'sec-fetch-site'?: unknown; origin?: unknown };

/**
 * Whether a browser sent the request from a page of ours, or from none. Browsers that do not say so name the
 * origin of the page. Source: Fetch Metadata Request Headers, §2.3.
 */
export const comesFromOwnPage = (
  { 'sec-fetch-site': site, origin }: Sent,
  ownOrigin: string,
): boolean =>
  site === undefined ? origin === ownOrigin : site === 'same-origin' || site === 'none';
