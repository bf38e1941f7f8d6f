import { type Lease, noLeases } from '../../events/lease.ts';

/** The lease of a test that is alone. */
export const aloneLease = (await noLeases.own('test', new AbortController().signal)) as Lease;
