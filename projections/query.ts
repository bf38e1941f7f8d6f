/** The database as a reader of the read models is given it. */
export type { Db } from './projection.ts';
