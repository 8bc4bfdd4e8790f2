/** Questions and warnings of the commands that replace all data of a daemon. */
import { Flags } from '@oclif/core';
import { getStatus } from '../../contract/admin/daemon.ts';
import { cancelled, confirm, mustConfirm } from '../input/confirm.ts';
import { getNewKeyHint } from '../errors/hints.ts';
import type { AdminContext } from '../session/admin-session.ts';
import { checkSavedKeys, explainInvalidKey, isKnownKey } from './saved-keys.ts';

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

/** Warns if the new data do not contain the key that commands use, and suggests a saved key that they contain; and of other saved keys. */
export async function warnAboutLostKey({ output, session }: AdminContext): Promise<void> {
  const { key, isLocal, dataDir, profile } = session.target;
  if (!key || !isLocal) return;
  const saved = await checkSavedKeys(dataDir.value);
  const isSaved = key.origin !== 'STOCKROOM_API_KEY' && key.origin !== '--api-key-file';
  if (!(await isKnownKey(dataDir.value, key.value))) {
    const lost = `The data do not contain the key of ${isSaved ? `profile ${profile.value}` : key.origin}`;
    const valid = saved.find(({ isValid }) => isValid);
    const hint = valid
      ? `Switch to a profile whose key they contain: \`stockroom profile use ${valid.name}\``
      : getNewKeyHint(session.getHintContext());
    output.printNote(`${lost}. ${hint}`);
  }
  for (const each of saved) {
    if (each.isValid || (isSaved && each.name === profile.value)) continue;
    output.printNote(explainInvalidKey(each, session.getHintContext()));
  }
}
