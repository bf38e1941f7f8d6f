const { constrainedMemory } = process;

/** Works as on a machine with this much memory. Threads of their own still see the real one. */
export const withMachineMemory = async <T>(
  bytes: number,
  work: () => T | Promise<T>,
): Promise<T> => {
  process.constrainedMemory = () => bytes;
  try {
    return await work();
  } finally {
    process.constrainedMemory = constrainedMemory;
  }
};
