/** Files that are served as they are, under one policy. `path` is that of the URL. */
export type StaticFiles = {
  files: { path: string; type: string; bytes: Buffer }[];
  contentSecurityPolicy: string;
  /** Default: an hour, for everybody. */
  cacheControl?: string;
  /** Operations stand at the same paths: other methods than GET and HEAD are theirs. */
  besideOperations?: boolean;
};
