import { operationCommand } from '../../../src/cli/command/operation-command.ts';
import { cancelReplay } from '../../../src/contract/resources/webhook-replays.ts';

export default operationCommand(cancelReplay, {
  noun: 'replay',
  examples: [
    'webhooks replays cancel shop-sync 0199f2a0-4a5b-7c6d-8e7f-901a2b3c4d5e',
    'webhooks replays cancel shop-sync 0199f2a0-4a5b-7c6d-8e7f-901a2b3c4d5e --yes',
  ],
});
