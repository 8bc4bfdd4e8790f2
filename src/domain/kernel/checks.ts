/** Runs independent checks concurrently, because each may cost a round trip to the store. */

/** Runs checks together and waits for all of them. Throws the error of the first one in the list that failed. */
export async function runChecks(...checks: readonly (() => Promise<unknown> | undefined)[]): Promise<void> {
  const results = await Promise.allSettled(checks.map(async (check) => check()));
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}
