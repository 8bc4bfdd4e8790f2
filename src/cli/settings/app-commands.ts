/** Commands for partner applications: flags for lists, and output of the client secret, which only one response contains. */
import { Flags } from '@oclif/core';
import { GRANT_TYPES } from '../../contract/oauth.ts';
import type { Reply } from '../../client/client.ts';
import type { Operation } from '../../contract/operation.ts';
import { SCOPES } from '../../contract/scopes.ts';
import { type Output, addSecretColumn } from '../command-output.ts';
import { getView, requestOnce } from '../records/request.ts';
import { submitRecord } from '../records/write-record.ts';
import type { AdminContext } from '../session/admin-session.ts';
import { repeatable, valueList } from '../input/common-flags.ts';

export const scopeFlag = {
  scope: Flags.option({
    ...valueList,
    options: SCOPES,
    helpValue: 'SCOPE,…',
    description: `Scope that the application may request. Repeatable.`,
  })(),
};

export const appFlags = {
  ...scopeFlag,
  'redirect-uri': Flags.string({ ...repeatable, helpValue: 'URL', description: 'Allowed redirect URL, compared exactly. Repeatable.' }),
  'grant-type': Flags.option({
    ...valueList,
    options: GRANT_TYPES,
    helpValue: 'GRANT,…',
    description: `Allowed OAuth grant. Repeatable. Default: all that its type and redirect URLs allow.`,
  })(),
};

type AppFlagValues = Partial<Record<'scope' | 'redirect-uri' | 'grant-type', readonly string[] | undefined>>;

/** Converts the flags above to fields of the body. */
export const toAppFields = ({ scope: scopes, 'redirect-uri': redirectUris, 'grant-type': grantTypes }: AppFlagValues): Fields => ({
  ...(scopes && { scopes }),
  ...(redirectUris && { redirectUris }),
  ...(grantTypes && { grantTypes }),
});

/** Columns of lists. */
export const APP_COLUMNS = ['name', 'clientId', 'type', 'status', 'grantTypes', 'id', 'scopes', 'redirectUris'] as const;

type AppData = {
  readonly clientId: string;
  readonly installations: readonly { readonly tenant: string; readonly status: string; readonly scopes: readonly string[] }[];
};

type Fields = Readonly<Record<string, unknown>>;

/** Performs an operation that returns an application, and prints it. `more`: fields added to the body. */
export async function showApp(context: AdminContext, op: Operation, more: Fields = {}): Promise<void> {
  const { output } = context;
  const view = output.validateView(getView(op));
  const reply = op.method === 'GET' ? ((await requestOnce(context, op)) as Reply) : await submitRecord(context, op, more);
  if (reply) await output.printOne({ data: toTableData(output, (reply.body as { data: AppData }).data) }, view, reply.text);
}

/** Like `writeRecord`, but always prints the client secret: no other response contains it. */
export async function writeAppWithSecret(context: AdminContext, op: Operation, more: Fields = {}): Promise<void> {
  const { output } = context;
  const view = addSecretColumn(output, getView(op), 'clientSecret');
  const reply = await submitRecord(context, op, more);
  if (!reply) return;
  const { data, clientSecret } = reply.body as { data: AppData; clientSecret?: string | null };
  if (typeof clientSecret !== 'string') {
    await output.printOne({ data: toTableData(output, data) }, view, reply.text);
    if (clientSecret === undefined)
      output.printNote(
        `An earlier request with this idempotency key was answered with the client secret, if there is one. Get another one with \`stockroom apps rotate-secret ${data.clientId}\``,
      );
    return;
  }
  await output.printWithSecret(toTableData(output, data), { field: 'clientSecret', secret: clientSecret }, view, reply.text);
  if (output.format === 'table') output.printNote('Store the client secret now: it is not shown again.');
}

/** In tables, shows an installation as the tenant with its status and scopes. */
function toTableData(output: Output, data: AppData): object {
  if (output.format !== 'table') return data;
  const installations = data.installations.map(({ tenant, status, scopes }) => `${tenant} (${status}: ${scopes.join(' ')})`);
  return { ...data, installations };
}
