export type AtFirstUse<T> = {
  /** What was made, now if not before. A failure is forgotten: the next call tries again. */
  use(): Promise<T>;
  /** The same for whoever ends it; undefined when it was never used. */
  used(): Promise<T> | undefined;
};

/** Something that is made when it is first used, and once. */
export const atFirstUse = <T>(make: () => Promise<T>): AtFirstUse<T> => {
  let made: Promise<T> | undefined;
  return {
    use() {
      made ??= make().catch((error: unknown) => {
        made = undefined;
        throw error;
      });
      return made;
    },
    used: () => made,
  };
};
