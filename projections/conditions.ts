/** The conditions of a query and their parameters. Absent filters add no condition. */
export const createConditions = () => {
  const texts: string[] = [];
  const values: unknown[] = [];
  /** The name of a parameter that holds the value. */
  const parameter = (value: unknown): string => `$${values.push(value)}`;
  return {
    values,
    parameter,
    where(condition: (parameter: string) => string, value: unknown): void {
      if (value !== undefined) texts.push(condition(parameter(value)));
    },
    texts: (): readonly string[] => texts,
    text: (): string => texts.join(' and '),
  };
};

/** Below every id: where a list by id begins. */
export const leastId = '00000000-0000-0000-0000-000000000000';

/** Higher than every log position: a list with the newest first begins here. */
export const lastPosition = 9_223_372_036_854_775_807n;
