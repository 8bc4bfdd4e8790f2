/** Base of the commands that replace all data of a daemon. */
import { createDaemonTransport, requireDaemonState } from '../../client/daemon-transport.ts';
import { ApiError } from '../../client/errors.ts';
import { createClient } from '../../client/client.ts';
import { listDataDirProfiles, readConfig, readKey } from '../../client/profiles.ts';
import { getAuthContext } from '../../contract/resources/auth-context.ts';
import { getStatus } from '../../contract/admin/daemon.ts';
import { confirm } from '../input/confirm.ts';
import { EXIT } from '../errors/exit-codes.ts';
import { Failure } from '../errors/failure.ts';
import { getNewKeyHint } from '../errors/hints.ts';
import { AdminCommand } from './admin-command.ts';

export abstract class ReplaceDataCommand extends AdminCommand {
  /** Prints what would be lost and asks for confirmation. `by`: what replaces the data. Throws a Failure if the answer is no. */
  protected async confirmReplacement(by: string): Promise<void> {
    const client = await this.connect();
    const { rows, tenants } = (await client.call(getStatus, {})).body.data;
    const held = `${String(rows['items'] ?? 0)} items and ${String(rows['orders'] ?? 0)} orders of ${String(tenants)} tenants`;
    this.printNote(`${this.target.dataDir.value} holds ${held}.`);
    if (!(await confirm(`Replace all data by ${by}?`)))
      throw new Failure('CANCELLED', 'Cancelled; nothing was changed', { exit: EXIT.usage });
  }

  /** Warns if the new data do not contain the key that commands use, and suggests a saved key that they contain. */
  protected async warnAboutLostKey(): Promise<void> {
    const { key, daemon, isLocal, dataDir, profile } = this.target;
    if (!key || !isLocal) return;
    const transport = createDaemonTransport(requireDaemonState(daemon, dataDir.value), dataDir.value);
    const isKnown = async (secret: string | undefined): Promise<boolean> => {
      const client = createClient({ transport, key: secret, retry: { maxWaitMs: 0, wait: () => Promise.resolve() } });
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
      this.printNote(`${lost}. Switch to a profile whose key they contain: \`stockroom profile use ${name}\``);
      return;
    }
    this.printNote(`${lost}. ${getNewKeyHint(this.getTargetHints(this.target))}`);
  }
}
