/** Plays a simulation with a broken rule, seed by seed, and returns the first problem. */
export const firstProblem = async (
  play: (seed: number) => Promise<{ problems: readonly string[] }>,
  seeds = 150,
): Promise<string> => {
  for (let seed = 1; seed <= seeds; seed++) {
    const [problem] = (await play(seed)).problems;
    if (problem !== undefined) return problem;
  }
  return 'none';
};
