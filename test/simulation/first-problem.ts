/** The first problem that a broken rule leads to in a simulation, over some seeds. */
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
