/** UCANs: issued, delegated, verified, revoked, and what their bearers may do. */
import { createUcanDelegator } from '../../commands/ucans/delegate-ucan.ts';
import { createUcanIssuer, createUcanKeeper, scopeIn } from '../../commands/ucans/issue-ucan.ts';
import { createUcanRevoker } from '../../commands/ucans/revoke-ucan.ts';
import type { UcanCheck } from '../../commands/ucans/ucan-check.ts';
import { createUcanAuthenticator, isUcanHeader } from '../../infra/identity/authenticate-ucan.ts';
import { addJob } from '../../infra/jobs/add-job.ts';
import { ucanRows } from '../../projections/ucans/project.ts';
import { createForgetAnswers } from '../../reactors/forget-answers.ts';
import { ucanReadOperations } from '../../read-api/ucans.ts';
import { ucanOperations } from '../../write-api/ucan.ts';
import type { Foundation, Wing } from '../foundation/wing.ts';
import { keepLimitsOf } from './policies.ts';

/** The task that erases the key of an answer. */
const forgetTask = 'forget-answer';

const issuePortsOf = ({ clock, config, commands, authority, shared }: Foundation) => ({
  handler: commands.handler,
  clock,
  limits: config.limits,
  authority: authority.issuer,
  callerDids: shared.callerDids,
  check: authority.check,
  keepLimits: keepLimitsOf({ commands, authority }),
});

/** Knows who may revoke a UCAN. */
export const ucanRevokerOf = (foundation: Foundation) =>
  createUcanRevoker(issuePortsOf(foundation));

const createUcans = (foundation: Foundation) => {
  const { config, log } = foundation;
  const issuePorts = issuePortsOf(foundation);
  const { handler, check, authority, clock, limits } = issuePorts;
  const keeper = createUcanKeeper(issuePorts);
  return {
    check,
    issuer: createUcanIssuer(issuePorts, keeper),
    delegator: createUcanDelegator(issuePorts, keeper),
    revoker: createUcanRevoker(issuePorts),
    authenticator: createUcanAuthenticator({
      handler,
      check,
      authority,
      clock,
      limits,
      log,
      strictAudience: config.ucanStrictAudience,
    }),
  };
};

/** Describes a token issued here, as long as it is valid. */
const describe = async (check: UcanCheck, cid: string) => {
  const { issued, revoked } = await check.load(cid);
  if (!issued?.token || revoked || (await check.hasEnded(issued.boundTo))) return undefined;
  const { valid, ucan, error } = await check.verify(issued.token);
  // Proofs that were not issued here come with each use of the token.
  if (!ucan || !(valid || error?.code === 'missing_proofs')) return undefined;
  const { kind, issuer, audience, expiresAt } = issued;
  const { cap } = ucan.payload;
  return { kind, issuer, audience, expiresAt, scope: scopeIn(cap), capabilities: cap };
};

export const ucans: Wing = {
  name: 'ucans',
  projections: [ucanRows],
  open(site) {
    const { authenticator, ...ports } = createUcans(site);
    const { limits } = site.config;
    return {
      callers: { knows: isUcanHeader, ...authenticator },
      react: () => ({
        reactors: [
          createForgetAnswers({
            forget: (subject, runAtMs) =>
              addJob(site.storage.readDb, forgetTask, { subject }, { key: subject, runAtMs }),
          }),
        ],
        tasks: {
          [forgetTask]: (payload) =>
            site.keys.dataKeys.erase((payload as { subject: string }).subject),
        },
      }),
      write: () => ucanOperations({ ...ports, limits }),
      read: () =>
        ucanReadOperations({
          db: site.storage.readDb,
          clock: site.clock,
          limits,
          describe: (cid) => describe(ports.check, cid),
        }),
    };
  },
};
