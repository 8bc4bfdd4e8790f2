import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { listKeys } from '../../src/contract/admin/keys.ts';

export default operationCommand(listKeys, {
  columns: ['status', 'prefix', 'name', 'rateLimitTier', 'expiresAt', 'lastUsedAt', 'revokedAt', 'environment', 'id', 'scopes'],
  neverTruncated: ['prefix'],
  examples: ['keys list', 'keys list --no-is-revoked --columns prefix,name,expiresAt'],
});
