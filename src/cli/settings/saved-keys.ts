/** Whether the data of a daemon contain the keys that are saved for it: a snapshot or a reset may have replaced them. */
import { createClient } from '../../client/client.ts';
import { ApiError } from '../../client/errors.ts';
import { readDaemonState } from '../../client/settings/local-daemons.ts';
import { listDataDirProfiles, readConfig, readKey } from '../../client/settings/profiles.ts';
import { createDaemonTransport, requireDaemonState } from '../../client/transport/daemon-transport.ts';
import { getTenant } from '../../contract/admin/tenants.ts';
import { getAuthContext } from '../../contract/resources/auth-context.ts';
import { type KeyContext, formatKeyCommand } from '../errors/hints.ts';
import { createDaemonClient } from '../fixtures/started-fixtures.ts';

export interface SavedKey {
  /** The profile. */
  readonly name: string;
  readonly tenant: string;
  readonly isValid: boolean;
  /** Whether the data have its tenant; a snapshot may restore it. */
  readonly hasTenant: boolean;
}

/** Checks the saved keys of a running daemon. */
export async function checkSavedKeys(dataDir: string): Promise<readonly SavedKey[]> {
  const { profiles } = readConfig(process.env);
  const saved = listDataDirProfiles(profiles, dataDir).flatMap((name) => {
    const tenant = profiles[name]?.tenant;
    const key = readKey(process.env, name);
    return tenant === undefined || key === undefined ? [] : [{ name, tenant, key }];
  });
  return Promise.all(
    saved.map(async ({ name, tenant, key }) => {
      const isValid = await isKnownKey(dataDir, key);
      return { name, tenant, isValid, hasTenant: isValid || (await isTenant(dataDir, tenant)) };
    }),
  );
}

export function isKnownKey(dataDir: string, key: string): Promise<boolean> {
  const client = createClient({ transport: createDaemonTransport(requireDaemonState(readDaemonState(dataDir), dataDir)), key });
  return client.call(getAuthContext, {}).then(
    () => true,
    (error: unknown) => !(error instanceof ApiError && error.status === 401),
  );
}

const isTenant = (dataDir: string, tenant: string): Promise<boolean> =>
  createDaemonClient(dataDir)
    .call(getTenant, { params: { tenant } })
    .then(
      () => true,
      (error: unknown) => !(error instanceof ApiError && error.status === 404),
    );

/** What to say after all data were replaced, whose first key is saved. */
export const listInvalidKeyNotes = async (dataDir: string): Promise<readonly string[]> =>
  explainInvalidKeys(await checkSavedKeys(dataDir), {});

/** One sentence for each key that the data do not contain, and one for those whose tenants they do not have. */
export function explainInvalidKeys(keys: readonly SavedKey[], context: KeyContext): readonly string[] {
  const gone = keys.filter(({ hasTenant }) => !hasTenant).map(({ name }) => name);
  return [
    ...keys
      .filter(({ isValid, hasTenant }) => hasTenant && !isValid)
      .map(
        (key) =>
          `The key of profile ${key.name} is not valid any more. Create another: \`${formatKeyCommand({ ...context, tenant: key.tenant })}\``,
      ),
    ...(gone.length === 0
      ? []
      : [
          `The data do not have the tenants of these profiles, which a snapshot may restore: ${gone.join(', ')}. Remove one with \`stockroom profile remove\``,
        ]),
  ];
}
