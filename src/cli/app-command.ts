/** Partner applications at the terminal: scopes and addresses by flag, and the client secret that only one answer shows. */
import { Flags } from '@oclif/core';
import { GRANT_TYPES } from '../contract/oauth.ts';
import type { Reply } from '../client/client.ts';
import type { Operation } from '../contract/operation.ts';
import { SCOPES } from '../contract/scopes.ts';
import { type Parsed, viewOf } from './service-command.ts';
import { SettingsCommand } from './settings-command.ts';

const repeatable = { multiple: true, multipleNonGreedy: true } as const;

export const scopeFlag = {
  scope: Flags.option({
    ...repeatable,
    options: SCOPES,
    helpValue: 'SCOPE',
    description: `What it may be granted at most; may be repeated: ${SCOPES.join(', ')}.`,
  })(),
};

export const appFlags = {
  ...scopeFlag,
  'redirect-uri': Flags.string({ ...repeatable, helpValue: 'URL', description: 'Where consent may lead, compared exactly. Repeatable.' }),
  'grant-type': Flags.option({
    ...repeatable,
    options: GRANT_TYPES,
    helpValue: 'GRANT',
    description: `A flow it may use; may be repeated: ${GRANT_TYPES.join(', ')}. Default: what its type and addresses allow.`,
  })(),
};

interface Given {
  readonly scope?: readonly string[] | undefined;
  readonly 'redirect-uri'?: readonly string[] | undefined;
  readonly 'grant-type'?: readonly string[] | undefined;
}

/** The body's part of the flags above; what was not given is not in it. */
export const appFields = (flags: Given): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    [
      ['scopes', flags.scope],
      ['redirectUris', flags['redirect-uri']],
      ['grantTypes', flags['grant-type']],
    ].filter((entry): entry is [string, readonly string[]] => entry[1] !== undefined),
  );

/** Columns of a list of applications. */
export const APP_COLUMNS = ['name', 'clientId', 'type', 'status', 'grantTypes', 'id', 'scopes', 'redirectUris'] as const;

type Data = { readonly installations: readonly { readonly tenant: string; readonly status: string; readonly scopes: readonly string[] }[] };

export abstract class AppCommand extends SettingsCommand {
  /** Sends a body, or asks for an application when there is none to send, and prints the application. */
  protected async showApp(op: Operation, parsed: Parsed, more: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const view = this.checked(viewOf(op));
    const reply = op.body
      ? await this.submit(op, parsed, more)
      : ((await (await this.connect()).perform(op, this.partsOf(op, parsed))) as Reply);
    if (reply) await this.printOne({ data: this.readable((reply.body as { data: Data }).data) }, view, reply.text);
  }

  /** Like `write`; the client secret of the answer is shown whatever the format and the columns, because nothing shows it again. */
  protected async writeWithSecret(op: Operation, parsed: Parsed, more: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const view = this.checked(viewOf(op));
    const reply = await this.submit(op, parsed, more);
    if (!reply) return;
    const { data, clientSecret } = reply.body as { data: Data; clientSecret: string | null };
    if (clientSecret === null) return this.printOne({ data: this.readable(data) }, view, reply.text);
    const shown = { ...view, fields: [...view.fields, 'clientSecret'], columns: [...view.columns, 'clientSecret'] };
    await this.printOne({ data: { ...this.readable(data), clientSecret } }, shown, reply.text);
    if (this.format === 'table') this.note('Keep the client secret now: it is not shown again.');
  }

  /** For a person, an installation is the name of its tenant and what holds there. */
  private readable(data: Data): object {
    if (this.format !== 'table') return data;
    const installations = data.installations.map(({ tenant, status, scopes }) => `${tenant} (${status}: ${scopes.join(' ')})`);
    return { ...data, installations };
  }
}
