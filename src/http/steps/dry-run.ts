/** `dry_run=true`: the handler runs as usual, then an exception carries its reply out of the transaction, which is rolled back. */
import type { Reply } from '../response/reply.ts';
import type { OperationCall } from './operation-step.ts';

/** Has the reply of a dry run, without ETag and Location: the version that it shows never exists. */
export class DryRunFinished extends Error {
  override readonly name = 'DryRunFinished';
  readonly reply: Reply;
  constructor({ status, body }: Reply) {
    super('the dry run has finished');
    this.reply = { status, body };
  }
}

/** Ends the transaction of a dry run. */
export function finishDryRun({ input, reply }: OperationCall): undefined {
  const query = input?.query as { readonly dry_run?: boolean } | undefined;
  if (query?.dry_run === true) throw new DryRunFinished(reply!);
}
