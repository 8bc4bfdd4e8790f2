import { defineCommand } from '../src/cli/command/define-command.ts';
import { usageError } from '../src/cli/errors/failure.ts';
import { dataDirFlag, profileFlag, urlFlag } from '../src/cli/input/common-flags.ts';
import { resolveFlags } from '../src/cli/session/session.ts';
import { toYamlLines } from '../src/cli/output/formats.ts';
import type { Target } from '../src/client/settings/target.ts';
import { Flags } from '@oclif/core';

export default defineCommand({
  summary: 'Print the OpenAPI document of the API, webhooks or control',
  description:
    'Prints OpenAPI 3.0.3 for the API, else 3.1; no daemon is needed. A running daemon serves them at /openapi.json and /webhooks.openapi.json, and on its control port at /control/openapi.json; an API reference at /docs.',
  examples: [
    'openapi > openapi.json',
    'openapi --strict > contract.json',
    'openapi --webhooks -o yaml',
    'openapi --url https://stock.example',
  ],
  flags: {
    webhooks: Flags.boolean({ description: 'Print the document of the webhooks instead of the API.', exclusive: ['control'] }),
    control: Flags.boolean({ description: 'Print the document of the control port instead of the API.' }),
    strict: Flags.boolean({ description: 'Omit the extensions of stockroom.', exclusive: ['webhooks', 'control'] }),
    url: urlFlag,
    profile: profileFlag,
    'data-dir': dataDirFlag,
  },
  async run({ flags, output }) {
    const { output: format = 'json', columns } = flags;
    if (format !== 'json' && format !== 'yaml') throw usageError(`This command does not support -o ${format}`, 'Use -o json or -o yaml');
    if (columns !== undefined) throw usageError('This command does not support --columns');
    const document = flags.webhooks
      ? (await import('../src/contract/openapi/webhooks-document.ts')).buildWebhooksDocument()
      : flags.control
        ? (await import('../src/contract/openapi/control-document.ts')).buildControlDocument('http://127.0.0.1')
        : await buildOwnApiDocument(resolveFlags(flags), flags.strict);
    await output.write(format === 'yaml' ? `${toYamlLines(document).join('\n')}\n` : `${JSON.stringify(document, null, 2)}\n`);
  },
});

/** The document's server is the service that other commands would use. */
async function buildOwnApiDocument({ url }: Target, isStrict: boolean): Promise<object> {
  if (!/^https?:\/\//u.test(url.value) || !URL.canParse(url.value))
    throw usageError(`Invalid URL "${url.value}" (from ${url.origin}). Expected an http or https URL`);
  const { buildApiDocument } = await import('../src/contract/openapi/api-document.ts');
  const baseUrl = url.value.replace(/\/$/u, '');
  if (!isStrict) return buildApiDocument(baseUrl);
  const { listStrictOperations } = await import('../src/contract/strict.ts');
  return buildApiDocument(baseUrl, listStrictOperations());
}
