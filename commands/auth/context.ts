import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { getAuthContext } from '../../src/contract/resources/auth-context.ts';

export default operationCommand(getAuthContext, {
  hiddenAliases: ['whoami'],
  examples: ['auth context', 'auth context --columns tenant.plan,api_key.scopes'],
});
