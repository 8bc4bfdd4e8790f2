/** Questions and warnings of the commands that replace all data of a daemon. */
import { Flags } from '@oclif/core';
import { getStatus } from '../../contract/admin/daemon.ts';
import { cancelled, confirm, mustConfirm } from '../input/confirm.ts';
import { getNewKeyHint } from '../errors/hints.ts';
import type { AdminContext } from '../session/admin-session.ts';
import { type SavedKey, checkSavedKeys, explainInvalidKeys, isKnownKey } from './saved-keys.ts';

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

/** Warns of saved keys that the new data do not contain, that of the command first. */
export async function warnAboutLostKeys({ output, session }: AdminContext): Promise<void> {
  const { key, isLocal, dataDir, profile } = session.target;
  if (!isLocal) return;
  const saved = await checkSavedKeys(dataDir.value);
  const isOfProfile = (each: SavedKey): boolean => each.name === profile.value;
  if (key && !(await isKnownKey(dataDir.value, key.value))) {
    const isSaved = key.origin !== 'STOCKROOM_API_KEY' && key.origin !== '--api-key-file';
    const lost = `The data do not contain the key of ${isSaved ? `profile ${profile.value}` : key.origin}`;
    const valid = saved.find(({ isValid }) => isValid);
    const other = valid && `Switch to a profile whose key they contain: \`stockroom profile use ${valid.name}\``;
    // Of its tenant, if they have that.
    const create =
      saved.some((each) => isOfProfile(each) && each.hasTenant) || !other ? getNewKeyHint(session.getHintContext()) : undefined;
    output.printNote([lost, create, other].filter((part) => part !== undefined).join('. '));
  }
  for (const note of explainInvalidKeys(
    saved.filter((each) => !isOfProfile(each)),
    session.getHintContext(),
  ))
    output.printNote(note);
}
