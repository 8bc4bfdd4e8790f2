class RolledBack extends Error {
  override readonly name = 'RolledBack';
}

/** Runs a transaction, which a dry run ends with `return rollBack(result)`: nothing is stored. Returns the result in both cases. */
export async function withRollback<T>(transact: (rollBack: (result: T) => never) => Promise<T>): Promise<T> {
  let finished: { readonly result: T } | undefined;
  try {
    return await transact((result) => {
      finished = { result };
      throw new RolledBack('the dry run has finished');
    });
  } catch (thrown) {
    if (finished === undefined || !(thrown instanceof RolledBack)) throw thrown;
    return finished.result;
  }
}
