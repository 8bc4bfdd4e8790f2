import { defineCommand } from '../../src/cli/command/define-command.ts';
import { dataDirFlag, profileFlag, urlFlag } from '../../src/cli/input/common-flags.ts';
import { maskKey } from '../../src/cli/input/secret.ts';
import { resolveFlags } from '../../src/cli/session/session.ts';
import { formatSettings } from '../../src/cli/views/settings.ts';
import { readDaemonSettings } from '../../src/client/settings/daemon-settings.ts';
import { getConfigFile } from '../../src/client/settings/profiles.ts';
import type { WithheldKey } from '../../src/client/settings/target.ts';
import { Flags } from '@oclif/core';

const FIELDS = ['setting', 'value', 'origin'];

const NOT_SENT: Readonly<Record<WithheldKey['reason'], string>> = {
  'project-file': 'not sent: a project file names the URL',
  'other-url': 'not sent: saved for another URL',
  'other-directory': 'not sent: saved for another service than this data directory',
  'foreign-state-file': 'not sent: another user owns the state file',
};

export default defineCommand({
  summary: 'Show the active settings',
  description:
    'Includes settings for daemons that are set; the API key is masked. Precedence: flag, environment variable, project file (.stockroom.json), profile, default.',
  flags: {
    origin: Flags.boolean({ description: 'Also show the source of each value.' }),
    profile: profileFlag,
    url: urlFlag,
    'data-dir': dataDirFlag,
  },
  examples: ['config show --origin', 'config show --profile staging --json'],
  async run({ flags, output }) {
    const view = output.validateView({ fields: FIELDS, columns: flags.origin ? FIELDS : FIELDS.slice(0, 2) });
    const target = resolveFlags(flags);
    const { profile, url, key, tenant, dataDir, withheldKey, projectFile } = target;
    output.reportIgnoredFiles(target);
    const data = [
      { setting: 'profile', ...profile },
      { setting: 'url', ...url },
      {
        setting: 'apiKey',
        value: key ? maskKey(key.value) : null,
        origin: key?.origin ?? (withheldKey ? NOT_SENT[withheldKey.reason] : null),
      },
      { setting: 'tenant', value: tenant?.value ?? null, origin: tenant?.origin ?? null },
      { setting: 'dataDir', ...dataDir },
      { setting: 'configFile', value: getConfigFile(process.env), origin: 'default' },
      ...(projectFile === undefined ? [] : [{ setting: 'projectFile', value: projectFile, origin: 'found in a parent directory' }]),
      ...[...readDaemonSettings(process.env)].map(([name, setting]) => ({ setting: name, ...setting })),
    ];
    if (!output.isPlainTable) {
      await output.printList({ data }, view);
      return;
    }
    const home = process.env['HOME'];
    const short = (text: string | null) => (home === undefined ? text : (text?.replaceAll(`${home}/`, '~/') ?? null));
    const rows = data.map((row) => ({ ...row, value: short(row.value), origin: short(row.origin) }));
    await output.write(
      `${formatSettings(rows, flags.origin, output.terminalWidth ?? Infinity, output.getPaint(process.stdout)).join('\n')}\n`,
    );
  },
});
