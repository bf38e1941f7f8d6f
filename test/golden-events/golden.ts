import { fileURLToPath } from 'node:url';

/** Seals the personal parts of golden events. Protects nothing. */
export const goldenKey = Buffer.alloc(32, 7);

export const goldenPath = (type: string, version: number): string =>
  fileURLToPath(new URL(`./${type}.v${version}.json`, import.meta.url));

/** A stored event, and its content once it is decoded and opened (at the version it was written). */
export type Golden = {
  schema: number;
  id: string;
  type: string;
  data: string;
  metadata: string;
  decoded: { data: object; personal?: object };
};
