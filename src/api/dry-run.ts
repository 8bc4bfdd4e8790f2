class RolledBack extends Error {
  override readonly name = 'RolledBack';
}

/** Runs a transaction that ends with `finish(result)`, which rolls it back in a dry run. Returns the result in both cases. */
export async function withDryRun<T>(isDryRun: boolean, transact: (finish: (result: T) => T) => Promise<T>): Promise<T> {
  let finished: { readonly result: T } | undefined;
  try {
    return await transact((result) => {
      if (!isDryRun) return result;
      finished = { result };
      throw new RolledBack('the dry run has finished');
    });
  } catch (thrown) {
    if (finished === undefined || !(thrown instanceof RolledBack)) throw thrown;
    return finished.result;
  }
}
