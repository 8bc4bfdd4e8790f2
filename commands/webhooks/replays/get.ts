import { operationCommand } from '../../../src/cli/command/operation-command.ts';
import { getReplay } from '../../../src/contract/resources/webhook-replays.ts';

export default operationCommand(getReplay, {
  examples: [
    'webhooks replays get shop-sync 0199f2a0-4a5b-7c6d-8e7f-901a2b3c4d5e',
    'webhooks replays get shop-sync 0199f2a0-4a5b-7c6d-8e7f-901a2b3c4d5e --json',
  ],
});
