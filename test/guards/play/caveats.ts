/** Rights of the UCANs of a run by their caveats, in addition to the policies. */
import {
  createLetterPermission,
  type LetterPermission,
} from '../../../commands/letters/letter-permission.ts';
import type { LetterCaveat } from '../../../contract/permits.ts';
import { account, type Process } from './world.ts';

/** Letters are counted by each token of a chain. */
type Allowed = { caveat: LetterCaveat; maxLetters: Record<string, number> };

const first = { 'the-first-ucan': 6 };

/** By the name of the actor. */
export const allowedBy: Record<string, Allowed> = {
  'ucan:the-first-ucan': { caveat: { max_letters: 6 }, maxLetters: first },
  'ucan:the-second-ucan': {
    caveat: { countries: ['FR', 'US'], max_total_minor: 600, max_letters: 3 },
    maxLetters: { ...first, 'the-second-ucan': 3 },
  },
};

export const permissionOf = ({ handler }: Process, actor: string): LetterPermission | undefined => {
  const allowed = allowedBy[actor];
  if (!allowed) return undefined;
  const counters = Object.entries(allowed.maxLetters).map(([cid, maxLetters]) => ({
    cid,
    maxLetters,
  }));
  const { caveat } = allowed;
  const permit = { resource: `letters://${account}/`, ability: 'letters/send', caveat, counters };
  const ucan = {
    cid: actor.slice('ucan:'.length),
    cids: Object.keys(allowed.maxLetters),
    tokens: [],
    audience: actor,
    expiresAtMs: undefined,
    invocation: false,
    permits: [permit],
  };
  return createLetterPermission({ handler }, { accountId: account, keyId: actor, ucan });
};
