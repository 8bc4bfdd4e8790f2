import { Flags } from '@oclif/core';
import { readConfig, saveLocalKey, saveProfile } from '../../src/client/saved.ts';
import { writeFlags } from '../../src/cli/body.ts';
import { usage } from '../../src/cli/failure.ts';
import { bodyFlags } from '../../src/cli/operation-flags.ts';
import { viewOf } from '../../src/cli/service-command.ts';
import { SettingsCommand, tenantFlag } from '../../src/cli/settings-command.ts';
import { createKey } from '../../src/contract/admin/keys.ts';
import { dataDirectory } from '../../src/contract/places.ts';
import type { ResultOf } from '../../src/contract/operation.ts';
import { SCOPES } from '../../src/contract/scopes.ts';

export default class KeysCreate extends SettingsCommand {
  static override summary = 'Create an API key; its secret is shown this once';
  static override flags = {
    scope: Flags.option({
      options: SCOPES,
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'SCOPE',
      description: `What the key may do; may be repeated: ${SCOPES.join(', ')}.`,
      exclusive: ['all-scopes'],
    })(),
    ...bodyFlags(
      createKey,
      { name: 'To tell it from others.', expiresAt: 'When it stops working.', expiresIn: 'Such as 30d or 12h, from now.' },
      ['rateLimitTier'],
    ),
    tier: Flags.string({ helpValue: 'NAME', description: 'Rate-limit tier; `stockroom tiers list` shows them.' }),
    save: Flags.boolean({ description: 'Also put it into the profile, so that the next command uses it.' }),
    ...writeFlags,
    ...tenantFlag,
  };
  static override examples = [
    '<%= config.bin %> keys create --name Storefront --scope items:read --scope orders:write --expires-in 30d',
    '<%= config.bin %> keys create --all-scopes --tier elevated --save',
  ];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(KeysCreate);
    const view = viewOf(createKey);
    const own = { ...(flags.scope ? { scopes: flags.scope } : {}), ...(flags.tier === undefined ? {} : { rateLimitTier: flags.tier }) };
    const reply = await this.submit(createKey, { args, flags }, own);
    if (!reply) return;
    const body = reply.body as ResultOf<typeof createKey>;
    // The secret is in no list and no later answer: every format shows it here, whatever the columns.
    const shown = { ...view, fields: [...view.fields, 'secret'], columns: [...view.columns, 'secret'] };
    await this.printOne({ data: { ...body.data, secret: body.secret } }, shown, reply.text);
    if (flags.save) this.save(body.secret, flags.tenant);
    if (this.format === 'table') this.note('Keep the secret now: it is not shown again.');
  }

  private save(secret: string, tenantFlagValue: string | undefined): void {
    const { profile, tenant, dataDir } = this.target;
    const saved = readConfig(process.env).profiles[profile.value];
    if (saved?.url !== undefined)
      throw usage(`profile ${profile.value} is for ${saved.url}, so the key was not saved there`, 'choose a local profile with --profile');
    const slug = tenantFlagValue ?? tenant?.value;
    // A profile of another data directory or tenant keeps its key.
    const isOthers =
      saved !== undefined &&
      ((saved.dataDir ?? dataDirectory(process.env)) !== dataDir.value || (slug !== undefined && (saved.tenant ?? slug) !== slug));
    if (isOthers) {
      const name = saveLocalKey(process.env, { dataDir: dataDir.value, tenant: slug, apiKey: secret });
      this.note(`saved to profile ${name}; the one in use is still ${profile.value}`);
      return;
    }
    saveProfile(process.env, profile.value, { dataDir: dataDir.value, ...(slug === undefined ? {} : { tenant: slug }) }, secret);
    this.note(`saved to profile ${profile.value}`);
  }
}
