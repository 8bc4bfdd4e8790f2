import { Flags } from '@oclif/core';
import { StockroomCommand } from '../src/cli/command.ts';
import { usage } from '../src/cli/failure.ts';
import { dataDirFlag, profileFlag, urlFlag } from '../src/cli/flags.ts';
import { yamlLines } from '../src/cli/formats.ts';
import { findTarget } from '../src/client/target.ts';

export default class Openapi extends StockroomCommand {
  static override summary = 'Print the description of the API, or of the webhooks, for other tools';
  static override description =
    'OpenAPI 3.0.3 for the API, OpenAPI 3.1 for the webhooks, as JSON or with -o yaml. No daemon is needed; a running one serves the same at /openapi.json and /webhooks.openapi.json, and a page to read and try it at /docs.';
  static override examples = [
    '<%= config.bin %> openapi > openapi.json',
    '<%= config.bin %> openapi --webhooks -o yaml',
    '<%= config.bin %> openapi --url https://stock.example',
  ];
  static override flags = {
    webhooks: Flags.boolean({ description: 'The webhooks instead of the API.' }),
    url: urlFlag,
    profile: profileFlag,
    'data-dir': dataDirFlag,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Openapi);
    const { output = 'json', columns } = this.globals;
    if (output !== 'json' && output !== 'yaml') throw usage(`-o ${output}: a description is no table`, 'choose json or yaml');
    if (columns !== undefined) throw usage('--columns: a description has no columns', 'leave it out');
    const document = flags.webhooks ? await this.webhooks() : await this.api({ ...flags, dataDir: flags['data-dir'] });
    await this.out.write(output === 'yaml' ? `${yamlLines(document).join('\n')}\n` : `${JSON.stringify(document, null, 2)}\n`);
  }

  private async webhooks(): Promise<object> {
    const { webhooksDocument } = await import('../src/contract/openapi/webhooks.ts');
    return webhooksDocument();
  }

  /** Its server is the one that the other commands would call. */
  private async api(flags: { url?: string | undefined; profile?: string | undefined; dataDir?: string | undefined }): Promise<object> {
    const { url } = findTarget(flags, process.env, process.cwd());
    if (!/^https?:\/\//u.test(url.value) || !URL.canParse(url.value))
      throw usage(`"${url.value}" (from ${url.origin}) is not an http or https address`);
    const { apiDocument } = await import('../src/contract/openapi/document.ts');
    return apiDocument(url.value.replace(/\/$/u, ''));
  }
}
