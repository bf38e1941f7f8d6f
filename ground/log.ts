type Line = (fields: object, message: string) => void;

/** What the service writes its log lines with. A part that needs one level asks for that: `Pick<Log, 'warn'>`. */
export type Log = { debug: Line; info: Line; warn: Line; error: Line };
