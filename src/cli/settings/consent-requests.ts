/** Decides on authorization requests of applications. */
import { Args } from '@oclif/core';
import { listConsentRequests } from '../../contract/admin/oauth.ts';
import type { Operation, ResultOf } from '../../contract/operation.ts';
import { cancelled, confirm } from '../input/confirm.ts';
import { Failure, usageError } from '../errors/failure.ts';
import type { Output } from '../command-output.ts';
import { writeRecord } from '../records/write-record.ts';
import type { AdminContext } from '../session/admin-session.ts';

type PendingRequest = ResultOf<typeof listConsentRequests>['data'][number];

export const requestArg = {
  request: Args.string({
    description: 'Id of the request, shown on its consent page. Optional at a terminal if only one request is pending.',
  }),
};

const LIST_HINT = 'List the pending requests with `stockroom oauth requests`';

/**
 * Performs the decision `op` on the request that was given, or on the only one. At a terminal it first prints the request and asks `question`,
 * unless `--yes` was given. Throws a Failure if the answer is no.
 */
export async function decideConsent(context: DecisionContext, op: Operation, question: string): Promise<void> {
  await writeRecord({ ...context, args: { request: await resolveRequestId(context, question) } }, op);
}

type DecisionContext = AdminContext & {
  readonly args: { readonly request?: string | undefined };
  readonly flags: { readonly yes: boolean };
};

async function resolveRequestId({ args, flags, output, session }: DecisionContext, question: string): Promise<string> {
  const { request: given } = args;
  if (given !== undefined && (flags.yes || !output.canPrompt)) return given;
  const client = await session.connect();
  const { data } = (await client.perform(listConsentRequests, {})).body;
  const chosen = given === undefined ? requireSingleRequest(output, data) : data.find(({ id }) => id === given);
  // Not pending: the service reports why.
  if (!chosen) return String(given);
  output.printNote(`${chosen.application.name} requests: ${chosen.scopes.join(', ')}`);
  output.printNote(`Redirects to: ${chosen.redirectHost}`);
  if (!flags.yes && !(await confirm(question))) throw cancelled('the request is still pending');
  return chosen.id;
}

/** Without a terminal the id is required: a script must not approve whatever request happens to be pending. */
function requireSingleRequest(output: Output, pending: readonly PendingRequest[]): PendingRequest {
  const [only] = pending;
  if (!output.canPrompt) throw usageError('Missing required argument REQUEST', LIST_HINT);
  if (!only) throw new Failure('NOT_FOUND', 'No authorization request is pending', { hint: 'Start the authorization in the application' });
  if (pending.length > 1) throw usageError(`${String(pending.length)} requests are pending; pass REQUEST`, LIST_HINT);
  return only;
}
