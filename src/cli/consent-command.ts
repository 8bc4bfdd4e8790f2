/** Authorization requests at the terminal: which one is meant, and what it asks for. */
import { Args } from '@oclif/core';
import { listConsentRequests } from '../contract/admin/oauth.ts';
import type { ResultOf } from '../contract/operation.ts';
import { confirm } from './ask.ts';
import { EXIT } from './exit-codes.ts';
import { Failure, usage } from './failure.ts';
import { SettingsCommand } from './settings-command.ts';

type Waiting = ResultOf<typeof listConsentRequests>['data'][number];

export const requestArg = {
  request: Args.string({
    ignoreStdin: true,
    description: 'Id of the request, as its page shows it. A person may leave it out while only one waits.',
  }),
};

export abstract class ConsentCommand extends SettingsCommand {
  /** The id of the request that is meant, after a person at the terminal has seen what it asks for and agreed to `question`. */
  protected async chosenRequest(given: string | undefined, agreed: boolean, question: string): Promise<string> {
    if (given !== undefined && (agreed || !this.canAsk)) return given;
    const client = await this.connect();
    const { data } = (await client.perform(listConsentRequests, {})).body;
    const chosen = given === undefined ? this.onlyOne(data) : data.find(({ id }) => id === given);
    // The service says what is wrong with one that does not wait.
    if (!chosen) return String(given);
    this.describe(chosen);
    if (!agreed && !(await confirm(question))) throw new Failure('cancelled', 'the request still waits', { exit: EXIT.usage });
    return chosen.id;
  }

  /** Without an id: never what merely happens to wait when nobody looks at it. */
  private onlyOne(waiting: readonly Waiting[]): Waiting {
    const [only] = waiting;
    if (!this.canAsk) throw usage('name the request', '`stockroom oauth requests` lists those that wait');
    if (!only) throw new Failure('not_found', 'no request waits', { exit: EXIT.notFound, hint: 'start it from the application' });
    if (waiting.length > 1) throw usage(`${String(waiting.length)} requests wait; name one`, '`stockroom oauth requests` lists them');
    return only;
  }

  private describe({ application, redirectHost, scopes }: Waiting): void {
    this.note(`${application.name} asks for ${scopes.join(', ')}`);
    this.note(`the answer goes to ${redirectHost}`);
  }
}
