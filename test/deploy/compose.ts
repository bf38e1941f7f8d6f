/** Replaces variables as compose does, from the innermost outwards: `${NAME:-default}` and `${NAME:+value}`. */
export const interpolated = (source: string, env: Record<string, string> = {}): string => {
  const once = source.replace(/\$\{(\w+):([-+])([^{}]*)\}/g, (_, name, kind, text) =>
    kind === '-' ? env[name] || text : env[name] ? text : '',
  );
  return once === source ? source : interpolated(once, env);
};
