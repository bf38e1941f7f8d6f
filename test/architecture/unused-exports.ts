import { resolveLocal, type Sources, withoutComments } from './import-rules.ts';

const exported =
  /^export (?:async )?(?:type|interface|const|let|function\*?|class)\s+([A-Za-z_$][\w$]*)( = [\d._n]+;)?/gm;
const named = /(?:^|\n)(?:import|export)\s+(?:type\s+)?(?:\w+,\s*)?\{([^}]*)\}\s*from\s*'([^']+)'/g;
/** Imports and exports of a module with all that it exports. */
const whole = /(?:\*(?:\s+as\s+\w+)?\s+from\s*|\bimport\()'([^']+)'/g;

const isTest = (file: string): boolean => /^(test|bench)\//.test(file);

/** The files that import each export, by `file: name`; a file that is imported whole, by its path. */
const importersIn = (sources: Sources): Map<string, string[]> => {
  const importers = new Map<string, string[]>();
  const add = (what: string, file: string): void => {
    importers.set(what, [...(importers.get(what) ?? []), file]);
  };
  for (const [file, source] of sources) {
    for (const [, names = '', path = ''] of source.matchAll(named)) {
      const from = resolveLocal(file, path);
      for (const one of names.split(','))
        add(`${from}: ${/(?:type )?([\w$]+)/.exec(one.trim())?.[1]}`, file);
    }
    for (const [, path = ''] of source.matchAll(whole)) add(resolveLocal(file, path), file);
  }
  return importers;
};

const usesIn = (source: string, name: string): number =>
  source.match(new RegExp(`(?<![\\w$])${name.replace('$', '\\$')}(?![\\w$])`, 'g'))?.length ?? 0;

/**
 * `file: name` of each export that no other file imports, and of those that only tests use. Figures are left out of
 * the second list, as a test may compare other figures with them.
 */
export const unusedExports = (sources: Sources): { unused: string[]; testsOnly: string[] } => {
  const importers = importersIn(sources);
  const unused: string[] = [];
  const testsOnly: string[] = [];
  for (const [file, source] of sources) {
    if (importers.has(file)) continue;
    const code = withoutComments(source);
    for (const [, name = '', figure] of code.matchAll(exported)) {
      const one = `${file}: ${name}`;
      const users = importers.get(one);
      if (!users) unused.push(one);
      else if (!figure && !isTest(file) && users.every(isTest) && usesIn(code, name) === 1)
        testsOnly.push(one);
    }
  }
  return { unused, testsOnly };
};
