import type { Finding } from '../../postal/preflight-findings.ts';

export type PreflightResult = {
  /** Of the document as it came; 0 when it could not be opened. */
  pages: number;
  /** About the document as it came. It can be printed when none of them is an error. */
  findings: Finding[];
  /** A document that can be printed instead; only with `autoFix`, and only if it passed again. */
  fixed?: { pdf: Buffer; pages: number; changes: string[]; coverPage: boolean };
};
