export type ProjectionStatus = {
  name: string;
  position: bigint;
  state: 'running' | 'standing-by' | 'rebuilding' | 'halted';
  /** Why it halted or does not get on, and where. */
  error?: string;
  /** Since when, epoch ms. */
  since?: number;
  /** Of a process that projects: when the oldest event happened that is not projected, epoch ms. */
  oldestAt?: number;
};

export type StatusBoard = ReturnType<typeof createStatusBoard>;

/**
 * Where projections were last said to be, for callers that wait for them.
 * @param want called when somebody waits for a position that is not reached
 */
export const createStatusBoard = (want: (position: bigint) => void = () => {}) => {
  const byName = new Map<string, ProjectionStatus>();
  const listeners = new Set<() => void>();

  const reached = (names: string[], position: bigint): boolean =>
    names.every((name) => (byName.get(name)?.position ?? -1n) >= position);

  const watch = (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  };

  return {
    statuses: (): ProjectionStatus[] => [...byName.values()],
    statusOf: (name: string): ProjectionStatus | undefined => byName.get(name),
    update(changed: ProjectionStatus[]): void {
      for (const status of changed) byName.set(status.name, status);
      for (const listener of listeners) listener();
    },
    /** Calls `listener` after each update; returns what ends that. */
    watch,
    /** Whether the named projections have reached `position`. */
    reached,
    /**
     * Whether the named projections reach `position` within `timeoutMs`. They hurry, unless the caller is
     * `patient`: then they collect events as usual.
     */
    waitFor(
      names: string[],
      position: bigint,
      timeoutMs: number,
      { patient }: { patient: boolean } = { patient: false },
    ): Promise<boolean> {
      if (reached(names, position)) return Promise.resolve(true);
      if (!patient) want(position);
      return new Promise((resolve) => {
        const finish = (result: boolean): void => {
          clearTimeout(timer);
          unwatch();
          resolve(result);
        };
        const unwatch = watch(() => {
          if (reached(names, position)) finish(true);
        });
        const timer = setTimeout(() => finish(false), timeoutMs);
      });
    },
  };
};
