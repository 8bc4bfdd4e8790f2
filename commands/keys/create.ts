import { Flags } from '@oclif/core';
import { readConfig, saveLocalKey, saveProfile } from '../../src/client/profiles.ts';
import { writeFlags } from '../../src/cli/input/request-body.ts';
import { usageError } from '../../src/cli/errors/failure.ts';
import { bodyFlags } from '../../src/cli/input/operation-flags.ts';
import { getView } from '../../src/cli/base-commands/service-command.ts';
import { AdminCommand, tenantFlag } from '../../src/cli/base-commands/admin-command.ts';
import { createKey } from '../../src/contract/admin/keys.ts';
import { resolveDataDirectory } from '../../src/contract/local-paths.ts';
import type { ResultOf } from '../../src/contract/operation.ts';
import { SCOPES } from '../../src/contract/scopes.ts';

export default class KeysCreate extends AdminCommand {
  static override summary = 'Create an API key';
  static override description = 'The secret is shown only once.';
  static override flags = {
    scope: Flags.option({
      options: SCOPES,
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'SCOPE',
      description: `Scope to grant. Repeatable: ${SCOPES.join(', ')}.`,
      exclusive: ['all-scopes'],
    })(),
    ...bodyFlags(
      createKey,
      {
        name: 'Name to identify the key.',
        expiresAt: 'Expiry time.',
        expiresIn: 'Lifetime such as 30d or 12h.',
        allScopes: 'Grant all scopes.',
      },
      ['rateLimitTier'],
    ),
    tier: Flags.string({ helpValue: 'NAME', description: 'Rate-limit tier; see `stockroom tiers list`.' }),
    save: Flags.boolean({ description: 'Save the key in the profile, for later commands.' }),
    ...writeFlags,
    ...tenantFlag,
  };
  static override examples = [
    '<%= config.bin %> keys create --name Storefront --scope items:read --scope orders:write --expires-in 30d',
    '<%= config.bin %> keys create --all-scopes --tier elevated --save',
  ];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(KeysCreate);
    const view = getView(createKey);
    const own = { ...(flags.scope ? { scopes: flags.scope } : {}), ...(flags.tier === undefined ? {} : { rateLimitTier: flags.tier }) };
    const reply = await this.submit(createKey, { args, flags }, own);
    if (!reply) return;
    const body = reply.body as ResultOf<typeof createKey>;
    // The secret is shown only now, so print it in every format and regardless of --columns.
    const shown = { ...view, fields: [...view.fields, 'secret'], columns: [...view.columns, 'secret'] };
    await this.printOne({ data: { ...body.data, secret: body.secret } }, shown, reply.text);
    if (flags.save) this.saveKey(body.secret, flags.tenant);
    if (this.format === 'table') this.printNote('Store the secret now: it is not shown again.');
  }

  private saveKey(secret: string, tenantFlagValue: string | undefined): void {
    const { profile, tenant, dataDir } = this.target;
    const saved = readConfig(process.env).profiles[profile.value];
    if (saved?.url !== undefined)
      throw usageError(`The key was not saved: profile ${profile.value} is for ${saved.url}`, 'Select a local profile with --profile');
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
