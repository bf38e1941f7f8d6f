/** Files that are served as they are, under one policy. `path` is that of the URL. */
export type StaticFiles = {
  files: { path: string; type: string; bytes: Buffer }[];
  contentSecurityPolicy: string;
  /** Default: an hour, for everybody. */
  cacheControl?: string;
  /** Operations stand at the same paths: other methods than GET and HEAD are theirs. */
  besideOperations?: boolean;
};

/** One form of a document. The same buffer is the same content: it is compressed and tagged once. */
export type ServedFile = { type: string; bytes: Buffer; headers?: Record<string, string> };

/** Documents that are made when they are first asked for, under one policy. */
export type FileShelf = {
  /**
   * The representations at the path, the usual one first; undefined if the path has none. Answers `undefined` at
   * once for foreign paths, because every request asks.
   */
  at(path: string): Promise<readonly ServedFile[] | undefined> | undefined;
  contentSecurityPolicy: string;
  cacheControl: string;
};
