import type { AnyOperation } from '../contract/operation.ts';
import { type DelegatePorts, delegateOperation } from './ucans/delegate.ts';
import { type IssuePorts, issueOperation } from './ucans/issue.ts';
import { type RevokePorts, revokeOperation } from './ucans/revoke.ts';
import { type VerifyPorts, verifyOperation } from './ucans/verify.ts';

/** Operations on UCANs, one file each. */
export const ucanOperations = (
  ports: IssuePorts & DelegatePorts & VerifyPorts & RevokePorts,
): AnyOperation[] => [
  issueOperation(ports),
  delegateOperation(ports),
  verifyOperation(ports),
  revokeOperation(ports),
];
