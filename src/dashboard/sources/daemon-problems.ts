/** Describes the problems that a daemon reports: injected faults, and a store that rejects changes. Older daemons report none. */

/** Their targets as text; null if there are none. */
export function describeFaults(status: object): string | null {
  const { faults } = status as { readonly faults?: unknown };
  if (!Array.isArray(faults) || faults.length === 0) return null;
  return `${(faults as readonly unknown[]).map(getTarget).join(', ')} (stockroom faults list)`;
}

export function readStoreProblem(status: object): string | null {
  const { storeProblem } = status as { readonly storeProblem?: unknown };
  return typeof storeProblem === 'string' ? storeProblem : null;
}

/** Earlier daemons do not report where they log. */
export const readHasLogFile = (status: object): boolean => (status as { readonly logFile?: unknown }).logFile !== null;

function getTarget(fault: unknown): string {
  const { target } = (fault ?? {}) as { readonly target?: unknown };
  return typeof target === 'string' ? target : 'unknown target';
}
