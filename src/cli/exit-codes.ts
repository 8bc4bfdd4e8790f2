/** The exit codes of every command. */
export const EXIT = {
  ok: 0,
  /** Unexpected, or the service answered 5xx. */
  unexpected: 1,
  /** Usage, unknown command, or 400. */
  usage: 2,
  notFound: 3,
  /** No or bad credentials, scope or plan. */
  denied: 4,
  conflict: 5,
  /** Still rate limited after waiting. */
  rateLimited: 6,
  /** Daemon or service unreachable, port taken, data directory locked. */
  unreachable: 7,
  /** Part of a bulk job failed. */
  partial: 8,
  /** `verify`, `doctor` or `wait` found something wrong. */
  checkFailed: 9,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The exit code of a refusal with this HTTP status. */
export function exitOfStatus(status: number): ExitCode {
  if (status === 401 || status === 403) return EXIT.denied;
  if (status === 404) return EXIT.notFound;
  if (status === 409 || status === 412) return EXIT.conflict;
  if (status === 429) return EXIT.rateLimited;
  return status >= 400 && status < 500 ? EXIT.usage : EXIT.unexpected;
}
