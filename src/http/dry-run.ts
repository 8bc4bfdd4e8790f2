/** `dry_run=true`: the handler runs as ever, and its reply leaves the transaction as an exception, so that nothing of the change is kept. */
import type { Parts } from './parts.ts';
import type { Reply } from './reply.ts';

/** Carries the would-be reply out of a transaction. It has no ETag and no Location: the version that it shows never comes to be. */
class Rehearsed extends Error {
  override readonly name = 'Rehearsed';
  readonly reply: Reply;
  constructor({ status, body }: Reply) {
    super('a dry run has ended');
    this.reply = { status, body };
  }
}

/** To be called last inside the transaction: ends it when the request only asked what would happen. */
export function endDryRun({ query }: Parts, reply: Reply): void {
  if ((query as { readonly dry_run?: boolean } | undefined)?.dry_run === true) throw new Rehearsed(reply);
}

/** The reply of a transaction that may have been a dry run. */
export const rehearsed = (transaction: Promise<Reply>): Promise<Reply> =>
  transaction.catch((thrown: unknown) => {
    if (thrown instanceof Rehearsed) return thrown.reply;
    throw thrown;
  });
