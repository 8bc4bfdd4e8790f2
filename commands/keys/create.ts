import { Flags } from '@oclif/core';
import { writeFlags } from '../../src/cli/input/request-body.ts';
import { bodyFlags } from '../../src/cli/input/operation-flags.ts';
import { tenantFlag } from '../../src/cli/base-commands/admin-command.ts';
import { KeyCommand, saveFlags } from '../../src/cli/base-commands/key-command.ts';
import { createKey } from '../../src/contract/admin/keys.ts';
import { READ_SCOPES, SCOPES } from '../../src/contract/scopes.ts';

export default class KeysCreate extends KeyCommand {
  static override summary = 'Create an API key';
  static override description = 'The secret is shown only once.';
  static override flags = {
    scope: Flags.option({
      options: SCOPES,
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'SCOPE',
      description: `Scope to grant. Repeatable: ${SCOPES.join(', ')}.`,
      exclusive: ['all-scopes', 'read-only'],
    })(),
    'read-only': Flags.boolean({ description: 'Grant all scopes for reading.', exclusive: ['scope', 'all-scopes'] }),
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
    ...saveFlags,
    ...writeFlags,
    ...tenantFlag,
  };
  static override examples = [
    '<%= config.bin %> keys create --name Storefront --scope items:read --scope orders:write --expires-in 30d',
    '<%= config.bin %> keys create --all-scopes --tier elevated --save',
    '<%= config.bin %> keys create --read-only --json | jq -r .secret',
  ];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(KeysCreate);
    const scopes = flags['read-only'] ? READ_SCOPES : flags.scope;
    const own = { ...(scopes ? { scopes } : {}), ...(flags.tier === undefined ? {} : { rateLimitTier: flags.tier }) };
    await this.writeKey(createKey, { args, flags }, own);
  }
}
