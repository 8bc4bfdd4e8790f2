import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { endOverlap } from '../../src/contract/admin/webhooks.ts';

export default operationCommand(endOverlap, {
  examples: [
    'webhooks end-overlap 5c1d2e3f-4a5b-4c6d-8e7f-901a2b3c4d5e',
    'webhooks end-overlap 5c1d2e3f-4a5b-4c6d-8e7f-901a2b3c4d5e --json',
  ],
});
