/** Refusals name operations by method and path. A caller over MCP reads the names of its tools instead. */
import type { AnyOperation } from '../contract/operation.ts';
import type { Tool } from './tool-catalogue.ts';

type Problem = { detail: string; errors?: { detail: string; hint?: string }[] };

const endpoint = /\b(GET|POST|PUT|PATCH|DELETE) (\/[\w{}/-]+)(?![\w?/{}-])/g;

const fits = (template: string, segment: string): boolean =>
  template === segment || (template.startsWith('{') && segment !== '');

const paramsIn = (path: string): number => path.split('{').length;

/** The operation at a path, which may have values or other names of its parameters. */
const operationAt = (operations: readonly AnyOperation[], method: string, path: string) => {
  const segments = path.split('/');
  const found = operations.filter((operation) => {
    const templates = operation.path.split('/');
    return (
      operation.method === method &&
      templates.length === segments.length &&
      templates.every((template, at) => fits(template, segments[at] ?? ''))
    );
  });
  return found.toSorted((a, b) => paramsIn(a.path) - paramsIn(b.path))[0];
};

export const createToolNaming =
  (operations: readonly AnyOperation[]) =>
  /**
   * @param problem a problem document
   * @param tools those that the caller has; operations without one keep their method and path
   */
  (problem: string, tools: readonly Tool[]): string => {
    if (problem.search(endpoint) < 0) return problem;
    const names = new Map(tools.flatMap(({ calledAs }) => calledAs));
    const retold = (text: string): string =>
      text.replace(endpoint, (named, method: string, path: string) => {
        const operation = operationAt(operations, method, path);
        return (operation && names.get(operation)) ?? named;
      });
    const told = JSON.parse(problem) as Problem;
    const errors = told.errors?.map((finding) => ({
      ...finding,
      detail: retold(finding.detail),
      ...(finding.hint === undefined ? {} : { hint: retold(finding.hint) }),
    }));
    return JSON.stringify({ ...told, detail: retold(told.detail), errors });
  };
