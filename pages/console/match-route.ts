const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** `/letters/{id}` as a pattern with named groups. */
const patternOf = (path: string): RegExp => {
  const parts = path.split(/(\{\w+\})/).map((part) => {
    const [, name] = /^\{(\w+)\}$/.exec(part) ?? [];
    return name === undefined ? escaped(part) : `(?<${name}>[^/]+)`;
  });
  return new RegExp(`^${parts.join('')}$`);
};

type Addressed = { method: 'GET' | 'POST'; path: string };

/** The paths that take a form. */
export const formPathsOf = (routes: readonly Addressed[]): string[] =>
  routes.filter(({ method }) => method === 'POST').map(({ path }) => path);

type Match<R> = { route: R; params: Record<string, string> };

/** Undefined for a broken percent-encoding, and for U+0000, which no id contains. */
const decoded = (part: string): string | undefined => {
  try {
    const text = decodeURIComponent(part);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
};

/** Finds the route of a path that is percent-encoded; fixed paths come before paths with parameters. */
export const createMatcher = <R extends Addressed>(routes: readonly R[]) => {
  const fixedFirst = routes.toSorted((a, b) => a.path.split('{').length - b.path.split('{').length);
  const patterns = fixedFirst.map((route) => ({ route, pattern: patternOf(route.path) }));
  return (method: R['method'], path: string): Match<R> | undefined => {
    for (const { route, pattern } of patterns) {
      const match = route.method === method ? pattern.exec(path) : null;
      if (!match) continue;
      const params: Record<string, string> = {};
      for (const [name, part] of Object.entries(match.groups ?? {})) {
        const value = decoded(part);
        if (value === undefined) return undefined;
        params[name] = value;
      }
      return { route, params };
    }
    return undefined;
  };
};
