import { ConsentCommand, requestArg } from '../../src/cli/base-commands/consent-command.ts';
import { yesFlag } from '../../src/cli/base-commands/service-command.ts';
import { tenantFlag } from '../../src/cli/base-commands/admin-command.ts';
import { approveConsent } from '../../src/contract/admin/oauth.ts';

export default class OauthApprove extends ConsentCommand {
  static override summary = 'Approve an authorization request without a browser';
  static override description =
    'The consent page continues by itself; otherwise open the URL in `redirectTo`. It contains a single-use code that is valid for one minute.';
  static override args = requestArg;
  static override flags = { ...yesFlag, ...tenantFlag };
  static override examples = [
    '<%= config.bin %> oauth approve',
    '<%= config.bin %> oauth approve req_6f0b2f4c9d3e4a1b8c7d6e5f4a3b2c1d --tenant kestrel --json',
  ];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(OauthApprove);
    const request = await this.resolveRequestId(args.request, flags.yes, 'Approve it?');
    await this.write(approveConsent, { args: { request }, flags });
  }
}
