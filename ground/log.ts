type Line = (fields: object, message: string) => void;

/** The log of the service. A part that needs one level asks for that level only: `Pick<Log, 'warn'>`. */
export type Log = { debug: Line; info: Line; warn: Line; error: Line };
