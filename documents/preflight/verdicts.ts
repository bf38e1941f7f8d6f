/** Verdicts on documents, remembered by their digest and the rules: the same bytes are not checked for each account again. */
import { hash } from 'node:crypto';
import { createBoundedMap } from '../../ground/bounded-map.ts';
import type { PreflightRequest } from './check-pdf.ts';
import type { PreflightResult } from './preflight-result.ts';

/** Together, with the documents that were fixed. */
const rememberedBytes = 32 * 1024 * 1024;
/** About what a verdict takes without a document. */
const verdictBytes = 2_000;
/**
 * CHOICE: a send within the usual time of a quote does not check its document again. Then the verdict is removed from
 * memory, because it may quote or contain a document that was erased.
 */
const keptMs = 900_000;
/** CHOICE: a document that took too long once is tried again after this, since the machine may have been busy. */
const failureMs = 600_000;

type Remembered = { result: PreflightResult; until: number; mark: symbol };

type Verdicts = {
  /** A digest, because the rules can contain an address. @param digest of the document */
  nameOf(digest: Buffer, request: PreflightRequest): string;
  get(name: string): PreflightResult | undefined;
  set(name: string, result: PreflightResult, failed: boolean): void;
};

const afterwards = (work: () => void, ms: number): void => void setTimeout(work, ms).unref();

/** @param now monotonic, ms */
export const createVerdicts = (
  now: () => number = () => performance.now(),
  later: (work: () => void, ms: number) => void = afterwards,
): Verdicts => {
  const remembered = createBoundedMap<string, Remembered>(
    rememberedBytes,
    ({ result }) => verdictBytes + (result.fixed?.pdf.byteLength ?? 0),
  );
  /** It holds no result, so that one whose place others took leaves memory at once. */
  const forgetting = (name: string, mark: symbol) => (): void => {
    if (remembered.get(name)?.mark === mark) remembered.delete(name);
  };
  return {
    nameOf: (digest, request) =>
      hash('sha256', `${digest.toString('base64url')} ${JSON.stringify(request)}`, 'base64url'),
    get(name) {
      const known = remembered.get(name);
      return known === undefined || known.until <= now() ? undefined : known.result;
    },
    set(name, result, failed) {
      const ms = failed ? failureMs : keptMs;
      const mark = Symbol(name);
      remembered.set(name, { result, until: now() + ms, mark });
      later(forgetting(name, mark), ms);
    },
  };
};
