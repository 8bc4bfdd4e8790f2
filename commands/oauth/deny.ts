import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { yesFlag } from '../../src/cli/input/common-flags.ts';
import { decideConsent, requestArg } from '../../src/cli/settings/consent-requests.ts';
import { denyConsent } from '../../src/contract/admin/oauth.ts';

export default operationCommand(denyConsent, {
  summary: 'Deny an authorization request',
  args: requestArg,
  flags: yesFlag,
  examples: ['oauth deny', 'oauth deny req_6f0b2f4c9d3e4a1b8c7d6e5f4a3b2c1d'],
  run: (context) => decideConsent(context, denyConsent, 'Deny it?'),
});
