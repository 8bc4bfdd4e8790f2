import { Flags } from '@oclif/core';
import { operationCommand } from '../src/cli/command/operation-command.ts';
import { addSecretColumn } from '../src/cli/command-output.ts';
import { submitRecord } from '../src/cli/records/write-record.ts';
import { hasBrowser, openBrowser } from '../src/cli/settings/open-browser.ts';
import { getView } from '../src/cli/records/request.ts';
import { openConsole } from '../src/contract/admin/console.ts';
import type { ResultOf } from '../src/contract/operation.ts';
import { READ_SCOPES } from '../src/contract/scopes.ts';

export default operationCommand(openConsole, {
  summary: 'Open the console in the browser, signed in',
  description:
    'Prints a link that signs in the first browser that opens it, within ten minutes, and opens it on a desktop. The session lasts 12 hours: it is an API key named Console, which `stockroom keys revoke` ends.',
  without: ['scopes'],
  flags: {
    'read-only': Flags.boolean({ description: 'A session that can read, but not change anything.' }),
    open: Flags.boolean({ allowNo: true, default: true, description: 'Open the browser, on a terminal of a desktop. Default: yes.' }),
  },
  examples: ['console', 'console --tenant kestrel-coffee --read-only', 'console --no-open'],
  async run(context) {
    const { flags, output } = context;
    const shown = addSecretColumn(output, { ...getView(openConsole), columns: ['tenant', 'expiresAt'] }, 'url');
    const reply = await submitRecord(context, openConsole, flags['read-only'] ? { scopes: READ_SCOPES } : {});
    if (!reply) return;
    const { data, url } = reply.body as ResultOf<typeof openConsole>;
    if (url === undefined) return output.printOne({ data }, shown, reply.text);
    await output.printWithSecret(data, { field: 'url', secret: url }, shown, reply.text);
    if (flags.open && output.format === 'table' && hasBrowser(process.env) && !(await openBrowser(url, process.env)))
      output.printNote('No browser was found. Open the link.');
  },
});
