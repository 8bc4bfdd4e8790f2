/** Base of the commands that decide on authorization requests. */
import { Args } from '@oclif/core';
import { listConsentRequests } from '../../contract/admin/oauth.ts';
import type { ResultOf } from '../../contract/operation.ts';
import { confirm } from '../input/confirm.ts';
import { EXIT } from '../errors/exit-codes.ts';
import { Failure, usageError } from '../errors/failure.ts';
import { AdminCommand } from './admin-command.ts';

type PendingRequest = ResultOf<typeof listConsentRequests>['data'][number];

export const requestArg = {
  request: Args.string({
    ignoreStdin: true,
    description: 'Id of the request, shown on its consent page. Optional at a terminal if only one request is pending.',
  }),
};

const LIST_HINT = 'List the pending requests with `stockroom oauth requests`';

export abstract class ConsentCommand extends AdminCommand {
  /**
   * Returns the id of the request to decide on. At a terminal it first prints the request and asks `question`, unless `isConfirmed`.
   * Throws a Failure if the answer is no.
   */
  protected async resolveRequestId(given: string | undefined, isConfirmed: boolean, question: string): Promise<string> {
    if (given !== undefined && (isConfirmed || !this.canPrompt)) return given;
    const client = await this.connect();
    const { data } = (await client.perform(listConsentRequests, {})).body;
    const chosen = given === undefined ? this.requireSingleRequest(data) : data.find(({ id }) => id === given);
    // Not pending: the service reports why.
    if (!chosen) return String(given);
    this.printRequest(chosen);
    if (!isConfirmed && !(await confirm(question)))
      throw new Failure('CANCELLED', 'Cancelled; the request is still pending', { exit: EXIT.usage });
    return chosen.id;
  }

  /** Without a terminal the id is required: a script must not approve whatever request happens to be pending. */
  private requireSingleRequest(pending: readonly PendingRequest[]): PendingRequest {
    const [only] = pending;
    if (!this.canPrompt) throw usageError('Missing required argument REQUEST', LIST_HINT);
    if (!only)
      throw new Failure('NOT_FOUND', 'No authorization request is pending', {
        exit: EXIT.notFound,
        hint: 'Start the authorization in the application',
      });
    if (pending.length > 1) throw usageError(`${String(pending.length)} requests are pending; pass REQUEST`, LIST_HINT);
    return only;
  }

  private printRequest({ application, redirectHost, scopes }: PendingRequest): void {
    this.printNote(`${application.name} requests: ${scopes.join(', ')}`);
    this.printNote(`Redirects to: ${redirectHost}`);
  }
}
