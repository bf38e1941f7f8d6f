import { totalmem } from 'node:os';

/**
 * The memory of the container or the unit (its cgroup) if that is limited, otherwise of the machine, bytes. All
 * processes of the service, the embedded PostgreSQL and the browsers share it.
 */
export const machineMemoryBytes = (): number => {
  const limit = process.constrainedMemory();
  // Without a limit it is 0 or, with the older cgroups, more than any machine has.
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
};
