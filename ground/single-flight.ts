/**
 * Calls that arrive while `work` runs share that run and its result or failure. A call after its end
 * starts a new run.
 */
export const singleFlight = <T>(work: () => Promise<T>): (() => Promise<T>) => {
  const share = singleFlightByKey<undefined, T>();
  return () => share(undefined, work);
};

/** The same for each key: the `work` of the first caller runs, and later callers of that key share it. */
export const singleFlightByKey = <K, T>() => {
  const flights = new Map<K, Promise<T>>();
  return (key: K, work: () => Promise<T>): Promise<T> => {
    const running = flights.get(key);
    if (running) return running;
    const flight = work().finally(() => flights.delete(key));
    flights.set(key, flight);
    return flight;
  };
};
