import type { PortalAnswer } from '../../contract/portal.ts';
import type { Language } from '../../postal/stationery.ts';
import { nothingPage } from '../nothing-page.ts';
import { frameWords } from './frame-words.ts';
import { pageAnswer } from './page-answer.ts';

/**
 * The answer to a form without a session. A redirect would lose what the person entered; when this page is loaded again,
 * the browser sends the form again.
 */
export const signedOutPage = (
  language: Language,
  prefix: string,
  signInAddress: string,
): PortalAnswer => {
  const { signedOut } = frameWords[language];
  const link = { label: signedOut.signIn, url: signInAddress };
  return pageAnswer(nothingPage(language, prefix, { ...signedOut, link }), 401);
};
