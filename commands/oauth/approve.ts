import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { yesFlag } from '../../src/cli/input/common-flags.ts';
import { decideConsent, requestArg } from '../../src/cli/settings/consent-requests.ts';
import { approveConsent } from '../../src/contract/admin/oauth.ts';

export default operationCommand(approveConsent, {
  summary: 'Approve an authorization request without a browser',
  description:
    'The consent page continues by itself; otherwise open the URL in `redirectTo`. It contains a single-use code that is valid for one minute.',
  args: requestArg,
  flags: yesFlag,
  examples: ['oauth approve', 'oauth approve req_6f0b2f4c9d3e4a1b8c7d6e5f4a3b2c1d --tenant kestrel --json'],
  run: (context) => decideConsent(context, approveConsent, 'Approve it?'),
});
