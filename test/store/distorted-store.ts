/** A data directory with levels that a release distorted, and what its API returned. Written by formats/create-distorted.ts. */
export interface DistortedStore {
  readonly apiKey: string;
  /** A transfer whose reversal created value. */
  readonly transferId: string;
  /** Replies to GET requests, by path. */
  readonly replies: Readonly<Record<string, unknown>>;
  /** The files of the directory, in base64. */
  readonly files: Readonly<Record<string, string>>;
}
