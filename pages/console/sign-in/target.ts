/** The page of the console that a person asked for before signing in. */
import type { PortalRequest } from '../../../contract/portal.ts';

const mostTargetChars = 2_000;

/** Its path and query; undefined for one that does not exist. */
export const targetIn = (
  hasPage: (path: string) => boolean,
  text: string | null,
): string | undefined => {
  const base = 'https://console.invalid';
  if (!text || text.length > mostTargetChars || !URL.canParse(text, base)) return undefined;
  const { origin, pathname, search } = new URL(text, base);
  return origin === base && hasPage(pathname) ? `${pathname}${search}` : undefined;
};

/** The path of the sign-in page. After signing in, it leads to the page that was asked for. */
export const signInPathFor = (
  { path, query }: Pick<PortalRequest, 'path' | 'query'>,
  startPath: string,
): string => {
  const to = query.size > 0 ? `${path}?${query}` : path;
  const isNamed = path !== '' && to !== startPath;
  return isNamed ? `/sign-in?${new URLSearchParams({ to })}` : '/sign-in';
};
