/** Questions and warnings of the commands that replace all data of a daemon. */
import { Flags } from '@oclif/core';
import { createDaemonTransport, requireDaemonState } from '../../client/transport/daemon-transport.ts';
import { ApiError } from '../../client/errors.ts';
import { createClient } from '../../client/client.ts';
import { listDataDirProfiles, readConfig, readKey } from '../../client/settings/profiles.ts';
import { getAuthContext } from '../../contract/resources/auth-context.ts';
import { getStatus } from '../../contract/admin/daemon.ts';
import { cancelled, confirm, mustConfirm } from '../input/confirm.ts';
import { getNewKeyHint } from '../errors/hints.ts';
import type { AdminContext } from '../session/admin-session.ts';

export const replaceFlag = {
  yes: Flags.boolean({ char: 'y', description: 'Skip the confirmation prompt; required without a terminal.' }),
};

/** Prints what would be lost and asks for confirmation. `by`: what replaces the data. Throws a failure if the answer is no, or nobody can answer. */
export async function confirmReplacement(context: AdminContext, by: string): Promise<void> {
  const { output, session } = context;
  if (!mustConfirm(context, 'This replaces all data of the daemon')) return;
  const client = await session.connect();
  const { rows, tenants } = (await client.call(getStatus, {})).body.data;
  const held = `${String(rows['items'] ?? 0)} items and ${String(rows['orders'] ?? 0)} orders of ${String(tenants)} tenants`;
  output.printNote(`${session.target.dataDir.value} holds ${held}.`);
  if (!(await confirm(`Replace all data with ${by}?`))) throw cancelled('nothing was changed');
}

/** Warns if the new data do not contain the key that commands use, and suggests a saved key that they contain. */
export async function warnAboutLostKey({ output, session }: AdminContext): Promise<void> {
  const { key, daemon, isLocal, dataDir, profile } = session.target;
  if (!key || !isLocal) return;
  const transport = createDaemonTransport(requireDaemonState(daemon, dataDir.value));
  const isKnown = async (secret: string | undefined): Promise<boolean> => {
    const client = createClient({ transport, key: secret });
    return client.call(getAuthContext, {}).then(
      () => true,
      (error: unknown) => !(error instanceof ApiError && error.status === 401),
    );
  };
  if (await isKnown(key.value)) return;
  const lost = `The data do not contain the key of ${key.origin === 'STOCKROOM_API_KEY' ? key.origin : `profile ${profile.value}`}`;
  for (const name of listDataDirProfiles(readConfig(process.env).profiles, dataDir.value)) {
    const saved = readKey(process.env, name);
    if (saved === undefined || !(await isKnown(saved))) continue;
    output.printNote(`${lost}. Switch to a profile whose key they contain: \`stockroom profile use ${name}\``);
    return;
  }
  output.printNote(`${lost}. ${getNewKeyHint(session.getHintContext())}`);
}
