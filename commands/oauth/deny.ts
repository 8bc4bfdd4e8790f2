import { ConsentCommand, requestArg } from '../../src/cli/base-commands/consent-command.ts';
import { yesFlag } from '../../src/cli/base-commands/service-command.ts';
import { denyConsent } from '../../src/contract/admin/oauth.ts';

export default class OauthDeny extends ConsentCommand {
  static override summary = 'Deny an authorization request';
  static override args = requestArg;
  static override flags = yesFlag;
  static override examples = ['<%= config.bin %> oauth deny', '<%= config.bin %> oauth deny req_6f0b2f4c9d3e4a1b8c7d6e5f4a3b2c1d'];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(OauthDeny);
    const request = await this.resolveRequestId(args.request, flags.yes, 'Deny it?');
    await this.write(denyConsent, { args: { request }, flags });
  }
}
