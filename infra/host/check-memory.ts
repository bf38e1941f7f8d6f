/** Whether the machine or the container has the memory that the service needs (docs/deployment.md, Sizing). */
import { type Check, type Finding, ok, warn } from '../../ground/check.ts';
import { machineMemoryBytes } from '../../ground/machine-memory.ts';
import { mebibyte, sizeOf } from './check-disk.ts';

/** A machine that is sold with 1 GB has some 960 MiB, because its kernel takes the rest. */
const leastBytes = 896 * mebibyte;

/** Judges the memory that all processes of the service share. */
export const judgeMemory = (bytes: number): Finding =>
  bytes < leastBytes
    ? warn(
        `${sizeOf(bytes)}: the system may end a process while a PDF or an HTML letter is printed`,
        'give the machine or the container 1 GB or more',
      )
    : ok(sizeOf(bytes));

export const memoryCheck: Check = {
  name: 'memory',
  remedy: '',
  run: async () => judgeMemory(machineMemoryBytes()),
};
