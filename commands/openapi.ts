import { Flags } from '@oclif/core';
import { StockroomCommand } from '../src/cli/base-commands/stockroom-command.ts';
import { usageError } from '../src/cli/errors/failure.ts';
import { dataDirFlag, profileFlag, urlFlag } from '../src/cli/input/common-flags.ts';
import { toYamlLines } from '../src/cli/output/formats.ts';
import { resolveTarget } from '../src/client/target.ts';

export default class Openapi extends StockroomCommand {
  static override summary = 'Print the OpenAPI document of the API or the webhooks';
  static override description =
    'Prints OpenAPI 3.0.3 for the API, 3.1 for the webhooks; no daemon is needed. A running daemon serves both at /openapi.json and /webhooks.openapi.json, and an API reference at /docs.';
  static override examples = [
    '<%= config.bin %> openapi > openapi.json',
    '<%= config.bin %> openapi --webhooks -o yaml',
    '<%= config.bin %> openapi --url https://stock.example',
  ];
  static override flags = {
    webhooks: Flags.boolean({ description: 'Print the document of the webhooks instead of the API.' }),
    url: urlFlag,
    profile: profileFlag,
    'data-dir': dataDirFlag,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Openapi);
    const { output = 'json', columns } = this.globals;
    if (output !== 'json' && output !== 'yaml') throw usageError(`This command does not support -o ${output}`, 'Use -o json or -o yaml');
    if (columns !== undefined) throw usageError('This command does not support --columns');
    const document = flags.webhooks
      ? await this.buildWebhooksDocument()
      : await this.buildApiDocument({ ...flags, dataDir: flags['data-dir'] });
    await this.out.write(output === 'yaml' ? `${toYamlLines(document).join('\n')}\n` : `${JSON.stringify(document, null, 2)}\n`);
  }

  private async buildWebhooksDocument(): Promise<object> {
    const { buildWebhooksDocument } = await import('../src/contract/openapi/webhooks-document.ts');
    return buildWebhooksDocument();
  }

  /** The document's server is the service that other commands would use. */
  private async buildApiDocument(flags: {
    url?: string | undefined;
    profile?: string | undefined;
    dataDir?: string | undefined;
  }): Promise<object> {
    const { url } = resolveTarget(flags, process.env, process.cwd());
    if (!/^https?:\/\//u.test(url.value) || !URL.canParse(url.value))
      throw usageError(`Invalid URL "${url.value}" (from ${url.origin}). Expected an http or https URL`);
    const { buildApiDocument } = await import('../src/contract/openapi/api-document.ts');
    return buildApiDocument(url.value.replace(/\/$/u, ''));
  }
}
