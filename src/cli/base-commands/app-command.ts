/** Base of the commands for partner applications: flags for lists, and output of the client secret, which only one response contains. */
import { Flags } from '@oclif/core';
import { GRANT_TYPES } from '../../contract/oauth.ts';
import type { Reply } from '../../client/client.ts';
import type { Operation } from '../../contract/operation.ts';
import { SCOPES } from '../../contract/scopes.ts';
import { type Parsed, getView } from './service-command.ts';
import { AdminCommand } from './admin-command.ts';

const repeatable = { multiple: true, multipleNonGreedy: true } as const;

export const scopeFlag = {
  scope: Flags.option({
    ...repeatable,
    options: SCOPES,
    helpValue: 'SCOPE',
    description: `Scope that the application may request. Repeatable. Values: ${SCOPES.join(', ')}.`,
  })(),
};

export const appFlags = {
  ...scopeFlag,
  'redirect-uri': Flags.string({ ...repeatable, helpValue: 'URL', description: 'Allowed redirect URL, compared exactly. Repeatable.' }),
  'grant-type': Flags.option({
    ...repeatable,
    options: GRANT_TYPES,
    helpValue: 'GRANT',
    description: `Allowed OAuth grant. Repeatable. Values: ${GRANT_TYPES.join(', ')}. Default: all that its type and redirect URLs allow.`,
  })(),
};

interface AppFlagValues {
  readonly scope?: readonly string[] | undefined;
  readonly 'redirect-uri'?: readonly string[] | undefined;
  readonly 'grant-type'?: readonly string[] | undefined;
}

/** Converts the flags above to fields of the body. */
export const toAppFields = (flags: AppFlagValues): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    [
      ['scopes', flags.scope],
      ['redirectUris', flags['redirect-uri']],
      ['grantTypes', flags['grant-type']],
    ].filter((entry): entry is [string, readonly string[]] => entry[1] !== undefined),
  );

/** Columns of lists. */
export const APP_COLUMNS = ['name', 'clientId', 'type', 'status', 'grantTypes', 'id', 'scopes', 'redirectUris'] as const;

type AppData = {
  readonly clientId: string;
  readonly installations: readonly { readonly tenant: string; readonly status: string; readonly scopes: readonly string[] }[];
};

export abstract class AppCommand extends AdminCommand {
  /** Performs an operation that returns an application, and prints it. `more`: fields added to the body. */
  protected async showApp(op: Operation, parsed: Parsed, more: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const view = this.validateOutput(getView(op));
    const reply = op.body
      ? await this.submit(op, parsed, more)
      : ((await (await this.connect()).perform(op, await this.toRequestParts(op, parsed))) as Reply);
    if (reply) await this.printOne({ data: this.toTableData((reply.body as { data: AppData }).data) }, view, reply.text);
  }

  /** Like `write`, but always prints the client secret: no other response contains it. */
  protected async writeWithSecret(op: Operation, parsed: Parsed, more: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const view = this.validateOutput(getView(op));
    const reply = await this.submit(op, parsed, more);
    if (!reply) return;
    const { data, clientSecret } = reply.body as { data: AppData; clientSecret?: string | null };
    if (typeof clientSecret !== 'string') {
      await this.printOne({ data: this.toTableData(data) }, view, reply.text);
      if (clientSecret === undefined)
        this.printNote(
          `An earlier request with this idempotency key was answered with the client secret, if there is one. Get another one with \`stockroom apps rotate-secret ${data.clientId}\``,
        );
      return;
    }
    await this.printWithSecret(this.toTableData(data), { field: 'clientSecret', secret: clientSecret }, view, reply.text);
    if (this.format === 'table') this.printNote('Store the client secret now: it is not shown again.');
  }

  /** In tables, shows an installation as the tenant with its status and scopes. */
  private toTableData(data: AppData): object {
    if (this.format !== 'table') return data;
    const installations = data.installations.map(({ tenant, status, scopes }) => `${tenant} (${status}: ${scopes.join(' ')})`);
    return { ...data, installations };
  }
}
