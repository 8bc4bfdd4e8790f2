class RolledBack extends Error {
  override readonly name = 'RolledBack';
}

/** Runs work with a transaction, which ends with `rollBack(result)` if nothing is to be stored, as in a dry run. Returns the result in both cases. */
export async function withRollback<T>(transact: (rollBack: (result: T) => never) => Promise<T>): Promise<T> {
  let finished: { readonly result: T } | undefined;
  try {
    return await transact((result) => {
      finished = { result };
      throw new RolledBack('nothing is stored');
    });
  } catch (thrown) {
    if (finished === undefined || !(thrown instanceof RolledBack)) throw thrown;
    return finished.result;
  }
}
