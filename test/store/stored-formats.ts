/** A data directory that an earlier release wrote, and what its API returned. */
export interface StoredFormat {
  readonly apiKey: string;
  /** A POST request, with its idempotency key. */
  readonly created: { readonly path: string; readonly key: string; readonly body: unknown };
  /** Bodies by path. */
  readonly replies: Readonly<Record<string, unknown>>;
  /** Contents by name, in Base64. */
  readonly files: Readonly<Record<string, string>>;
}
