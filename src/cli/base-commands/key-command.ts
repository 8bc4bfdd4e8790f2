/** Base of the commands that create an API key: output of the secret, which only one response contains, and saving it in a profile. */
import { Flags } from '@oclif/core';
import type { Operation } from '../../contract/operation.ts';
import type { createKey } from '../../contract/admin/keys.ts';
import { resolveDataDirectory } from '../../contract/local-paths.ts';
import type { ResultOf } from '../../contract/operation.ts';
import { readConfig, saveLocalKey, saveProfile } from '../../client/profiles.ts';
import { usageError } from '../errors/failure.ts';
import { AdminCommand } from './admin-command.ts';
import { type Parsed, getView } from './service-command.ts';

export const saveFlag = { save: Flags.boolean({ description: 'Save the key in the profile, for later commands.' }) };

type KeyFlags = { readonly save?: boolean; readonly tenant?: string | undefined };

export abstract class KeyCommand extends AdminCommand {
  /** Performs an operation that creates a key, and prints the key with its secret. `more`: fields added to the body. */
  protected async writeKey(
    op: Operation,
    parsed: Parsed & { flags: KeyFlags },
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    const view = getView(op);
    // The secret is shown only now, so print it in every format and regardless of --columns.
    const shown = this.validateOutput({ ...view, fields: [...view.fields, 'secret'], columns: [...view.columns, 'secret'] });
    if (parsed.flags.save) this.checkProfileIsLocal();
    const reply = await this.submit(op, parsed, more);
    if (!reply) return;
    const body = reply.body as ResultOf<typeof createKey>;
    await this.printOne({ data: { ...body.data, secret: body.secret } }, shown, reply.text);
    if (parsed.flags.save) this.saveKey(body.secret, parsed.flags.tenant);
    if (this.format === 'table') this.printNote('Store the secret now: it is not shown again.');
  }

  /** Before the key exists, because its secret is shown only once. */
  private checkProfileIsLocal(): void {
    const { profile } = this.target;
    const url = readConfig(process.env).profiles[profile.value]?.url;
    if (url === undefined) return;
    throw usageError(`--save: profile ${profile.value} is for ${url}`, 'Select a local profile with --profile, or omit --save');
  }

  private saveKey(secret: string, tenantFlagValue: string | undefined): void {
    const { profile, tenant, dataDir } = this.target;
    const saved = readConfig(process.env).profiles[profile.value];
    const slug = tenantFlagValue ?? tenant?.value;
    // Do not overwrite the key of a profile for another data directory or tenant.
    const isOthers =
      saved !== undefined &&
      ((saved.dataDir ?? resolveDataDirectory(process.env)) !== dataDir.value || (slug !== undefined && (saved.tenant ?? slug) !== slug));
    if (isOthers) {
      const name = saveLocalKey(process.env, { dataDir: dataDir.value, tenant: slug, apiKey: secret });
      this.printNote(`Saved to profile ${name}; the active profile is still ${profile.value}`);
      return;
    }
    saveProfile(process.env, profile.value, { dataDir: dataDir.value, ...(slug === undefined ? {} : { tenant: slug }) }, secret);
    this.printNote(`Saved to profile ${profile.value}`);
  }
}
