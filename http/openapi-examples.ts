/** A recorded request and its answer, for the OpenAPI document. */
export type RecordedExample = {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
  /** By status; text where the answer is text, nothing where it is a file. */
  answers: Record<number, unknown>;
};

/** By the name of the operation. */
export type RecordedExamples = Record<string, RecordedExample>;
