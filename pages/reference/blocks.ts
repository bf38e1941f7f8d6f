/** The parts of a page of the reference, before it is HTML or Markdown. */

export type Code = { language: string; text: string; title?: string };

/** A field of a body, of a query or of an object. Texts are Markdown on one line. */
export type Field = {
  /** With the names of its parents: `price.total`, `errors[].pointer`. */
  name: string;
  type: string;
  /** Absent: it may be left out. A text: unless that is so. */
  required: boolean | string;
  limits: readonly string[];
  description: string;
  example: string | undefined;
};

export type Block =
  | { kind: 'prose'; markdown: string }
  | { kind: 'heading'; level: 2 | 3 | 4; text: string; id: string }
  | { kind: 'endpoint'; method: string; path: string }
  | { kind: 'facts'; facts: readonly (readonly [name: string, text: string])[] }
  | { kind: 'fields'; title: string; fields: readonly Field[] }
  /** `summary`: shown in its place until it is opened. `ids`: of the rows. */
  | {
      kind: 'table';
      head: readonly string[];
      rows: readonly (readonly string[])[];
      summary?: string;
      ids?: readonly string[];
    }
  | { kind: 'code'; code: Code }
  /** One request in several languages, of which the reader chooses. */
  | { kind: 'samples'; samples: readonly Code[] }
  /** Text with code next to it, if there is room. */
  | { kind: 'columns'; text: readonly Block[]; code: readonly Block[] };

export type Page = {
  /** Below `/api-docs`: empty, or `/letters`. */
  path: string;
  title: string;
  /** One sentence. */
  description: string;
  group: string;
  blocks: readonly Block[];
};

/** As Git hosts make the anchors of headings. */
export const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s+/g, '-');
