/** The exit codes of all commands. */
export const EXIT = {
  ok: 0,
  /** Unexpected error, or the service returned 5xx. */
  unexpected: 1,
  /** Wrong command line, unknown command, or the service returned 400. */
  usage: 2,
  notFound: 3,
  /** Missing or invalid key, scope or plan. */
  denied: 4,
  conflict: 5,
  /** Still rate limited after waiting. */
  rateLimited: 6,
  /** Daemon or service unreachable, port in use, data directory locked. */
  unreachable: 7,
  /** Part of a bulk job failed, or some of several records. */
  partial: 8,
  /** A check of `verify`, `doctor` or `wait` failed. */
  checkFailed: 9,
  /** The command of `exec` cannot be executed, or was not found. */
  commandNotExecutable: 126,
  commandNotFound: 127,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Returns the exit code for an error response with this HTTP status. */
export function toExitCode(status: number): ExitCode {
  if (status === 401 || status === 403) return EXIT.denied;
  if (status === 404) return EXIT.notFound;
  if (status === 409 || status === 410 || status === 412) return EXIT.conflict;
  if (status === 429) return EXIT.rateLimited;
  return status >= 400 && status < 500 ? EXIT.usage : EXIT.unexpected;
}
