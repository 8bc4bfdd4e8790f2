import { defineCommand } from '../../src/cli/command/define-command.ts';
import { tenantFlag, valueList } from '../../src/cli/input/common-flags.ts';
import { bodyFlags } from '../../src/cli/input/operation-flags.ts';
import { writeFlags } from '../../src/cli/input/request-body.ts';
import { adminAccess } from '../../src/cli/session/admin-session.ts';
import { saveFlags, writeKey } from '../../src/cli/settings/key-commands.ts';
import { createKey } from '../../src/contract/admin/keys.ts';
import { READ_SCOPES, SCOPES } from '../../src/contract/scopes.ts';
import { Flags } from '@oclif/core';

export default defineCommand({
  access: adminAccess,
  summary: 'Create an API key',
  description: 'The secret is shown only once.',
  flags: {
    scope: Flags.option({
      options: SCOPES,
      ...valueList,
      helpValue: 'SCOPE,…',
      description: `Scope to grant. Repeatable.`,
      exclusive: ['all-scopes', 'read-only'],
    })(),
    'read-only': Flags.boolean({ description: 'Grant all scopes for reading.', exclusive: ['scope', 'all-scopes'] }),
    ...bodyFlags(createKey, ['rateLimitTier']),
    tier: Flags.string({ aliases: ['rate-limit-tier'], helpValue: 'NAME', description: 'Rate-limit tier; see `stockroom tiers list`.' }),
    ...saveFlags,
    ...writeFlags,
    tenant: tenantFlag,
  },
  examples: [
    'keys create --name Storefront --scope items:read --scope orders:write --expires-in 30d',
    'keys create --all-scopes --tier elevated --save',
    'keys create --read-only --json | jq -r .secret',
  ],
  async run(context) {
    const { flags } = context;
    const scopes = flags['read-only'] ? READ_SCOPES : flags.scope;
    const own = { ...(scopes ? { scopes } : {}), ...(flags.tier === undefined ? {} : { rateLimitTier: flags.tier }) };
    await writeKey(context, createKey, own);
  },
});
