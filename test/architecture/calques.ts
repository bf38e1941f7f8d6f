/** Turns of phrase that are English words in the order of another language, and what to write instead. */
type Calque = { name: string; pattern: RegExp; instead: string };

/** Where a sentence begins, as far as a pattern can tell. */
const opens = String.raw`(?:^|[.!?:;] |\) )`;
/** A question may begin so. */
const noQuestion = '(?![^.!?;]*\\?)';

export const calques: Calque[] = [
  {
    name: 'Who …s',
    pattern: new RegExp(String.raw`${opens}Who [a-z]+s\b${noQuestion}`),
    instead: 'name the subject: "The caller", "Callers that"',
  },
  {
    name: 'What is …',
    pattern: new RegExp(String.raw`${opens}What (?:is|was|has|are|were)\b${noQuestion}`),
    instead: 'name the subject',
  },
  {
    name: 'Whatever …',
    pattern: new RegExp(String.raw`${opens}Whatever\b${noQuestion}`),
    instead: 'name the subject: "Every", "Anything that"',
  },
  {
    name: 'That of …',
    pattern: new RegExp(String.raw`${opens}(?:That|Those|None) of\b${noQuestion}`),
    instead: 'name the subject',
  },
  { name: 'whoever', pattern: /\bwho(?:m)?ever\b/i, instead: 'everyone who, the caller' },
  {
    name: 'is none',
    pattern: /\b(?<!there )(?:is|are|was|were) none\b/i,
    instead: 'there is no, does not',
  },
  {
    name: 'no more',
    pattern: /\bno more(?! (?:than|of|[a-z-]+s)\b)/,
    instead: 'no longer',
  },
  {
    name: 'so many',
    pattern: /\b(?:so many|(?:for|by|after) so (?:much|long))\b(?! [^.;:!?]*\bthat\b)/i,
    instead: 'this many, for this time',
  },
  {
    name: 'so … as',
    pattern: /\bso (?:long|much|many|far|soon|often) as\b|\bas who\b(?!,)/,
    instead: 'as … as, like callers that',
  },
  { name: 'but for', pattern: /\bbut for\b/, instead: 'except' },
  { name: 'all the same', pattern: /\ball the same\b/, instead: 'anyway' },
  { name: 'in place of', pattern: /\bin place of\b/, instead: 'instead of' },
  { name: 'is told', pattern: /\b(?:is|are|was|were|be) told\b(?! apart)/, instead: 'gets' },
  {
    name: 'beside',
    pattern: /\bbeside\b/i,
    instead: 'next to, besides, apart from, compared with',
  },
  {
    name: '… else',
    pattern: /(?<!(?:thing|body|one|who|what|where) )\belse(?:[.;:,)]|$)|[,;] else\b(?! if)/,
    instead: 'otherwise',
  },
];

/** Comments name their subject first. Descriptions of fields may begin with "What the caller can do". */
export const commentCalques: Calque[] = [
  ...calques,
  {
    name: 'What …',
    pattern: new RegExp(String.raw`${opens}(?:What|Who|Whom|Whose)\b${noQuestion}`),
    instead: 'name the subject, or begin with a verb in the third person',
  },
];

/** Replaces code in a sentence, so that its words are not taken for English. */
const code = /`[^`]*`|\bor else\b/g;

export const calquesIn = (text: string, refused: readonly Calque[] = calques): Calque[] => {
  const english = text.replaceAll(code, '_');
  return refused.filter(({ pattern }) => pattern.test(english));
};
