/** Why a process was ended by SIGKILL, for the operator, if neither the service nor the operator sent it. */
export const whyKilled =
  'the kernel does this when memory runs out; in that case its log (dmesg) has a line with oom-kill';
