/** The space in which a process id is unique: in another container the same id names another process. */
import { readFileSync, readlinkSync } from 'node:fs';

/** Names the space of this process until the machine starts again. Empty where the system does not say. */
export const processSpace = (): string => {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const [id = ''] = /\d+/.exec(readlinkSync('/proc/self/ns/pid')) ?? [];
    return `${boot.replaceAll('-', '').slice(0, 12)}${id}`;
  } catch {
    return '';
  }
};
