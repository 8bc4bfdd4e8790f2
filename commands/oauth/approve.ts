import { ConsentCommand, requestArg } from '../../src/cli/consent-command.ts';
import { yesFlag } from '../../src/cli/service-command.ts';
import { tenantFlag } from '../../src/cli/settings-command.ts';
import { approveConsent } from '../../src/contract/admin/oauth.ts';

export default class OauthApprove extends ConsentCommand {
  static override summary = 'Allow what an authorization request asks for, without a browser';
  static override description =
    'The request goes on where `redirectTo` says: its page does that by itself, or open the address within a minute. It carries a code that works once.';
  static override args = requestArg;
  static override flags = { ...yesFlag, ...tenantFlag };
  static override examples = [
    '<%= config.bin %> oauth approve',
    '<%= config.bin %> oauth approve req_6f0b2f4c9d3e4a1b8c7d6e5f4a3b2c1d --tenant kestrel --json',
  ];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(OauthApprove);
    const request = await this.chosenRequest(args.request, flags.yes, 'Allow it?');
    await this.write(approveConsent, { args: { request }, flags });
  }
}
