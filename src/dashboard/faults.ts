/** What a daemon says about faults that it makes on purpose. One that knows nothing of them says nothing. */

/** What they hit, in words; null when there are none. */
export function faultsOf(status: object): string | null {
  const { faults } = status as { readonly faults?: unknown };
  if (!Array.isArray(faults) || faults.length === 0) return null;
  return `${(faults as readonly unknown[]).map(targetOf).join(', ')} (stockroom faults list)`;
}

function targetOf(fault: unknown): string {
  const { target } = (fault ?? {}) as { readonly target?: unknown };
  return typeof target === 'string' ? target : 'something';
}
