import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { verifyRequests } from '../../src/contract/admin/requests.ts';

export default operationCommand(verifyRequests, {
  examples: [
    'requests verify --operation orders.create --count 1',
    `requests verify --data '{"operation":"orders.create","body":{"module":"sell"}}'`,
  ],
});
