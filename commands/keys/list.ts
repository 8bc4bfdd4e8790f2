import { listFlags } from '../../src/cli/input/operation-flags.ts';
import { AdminCommand, tenantFlag } from '../../src/cli/base-commands/admin-command.ts';
import { listKeys } from '../../src/contract/admin/keys.ts';

export default class KeysList extends AdminCommand {
  static override summary = 'List API keys';
  static override flags = { ...listFlags(listKeys), ...tenantFlag };
  static override examples = ['<%= config.bin %> keys list', '<%= config.bin %> keys list --no-is-revoked --columns prefix,name,expiresAt'];

  async run(): Promise<void> {
    const columns = ['status', 'prefix', 'name', 'rateLimitTier', 'expiresAt', 'lastUsedAt', 'revokedAt', 'environment', 'id', 'scopes'];
    await this.list(listKeys, await this.parse(KeysList), columns, { neverTruncated: ['prefix'] });
  }
}
