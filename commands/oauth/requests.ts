import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { listConsentRequests } from '../../src/contract/admin/oauth.ts';

export default operationCommand(listConsentRequests, {
  columns: ['id', 'application', 'redirectHost', 'expiresAt', 'scopes'],
  neverTruncated: ['id', 'redirectHost', 'expiresAt'],
  examples: ['oauth requests', 'oauth requests -o id'],
});
