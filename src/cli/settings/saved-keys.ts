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
}

/** Checks the saved keys of a running daemon. Keys of tenants that it does not have are left out: a snapshot may restore these. */
export async function checkSavedKeys(dataDir: string): Promise<readonly SavedKey[]> {
  const { profiles } = readConfig(process.env);
  const saved = listDataDirProfiles(profiles, dataDir).flatMap((name) => {
    const tenant = profiles[name]?.tenant;
    const key = readKey(process.env, name);
    return tenant === undefined || key === undefined ? [] : [{ name, tenant, key }];
  });
  const checked = await Promise.all(
    saved.map(async ({ name, tenant, key }) => {
      const isValid = await isKnownKey(dataDir, key);
      return isValid || (await hasTenant(dataDir, tenant)) ? [{ name, tenant, isValid }] : [];
    }),
  );
  return checked.flat();
}

export function isKnownKey(dataDir: string, key: string): Promise<boolean> {
  const client = createClient({ transport: createDaemonTransport(requireDaemonState(readDaemonState(dataDir), dataDir)), key });
  return client.call(getAuthContext, {}).then(
    () => true,
    (error: unknown) => !(error instanceof ApiError && error.status === 401),
  );
}

const hasTenant = (dataDir: string, tenant: string): Promise<boolean> =>
  createDaemonClient(dataDir)
    .call(getTenant, { params: { tenant } })
    .then(
      () => true,
      (error: unknown) => !(error instanceof ApiError && error.status === 404),
    );

export const explainInvalidKey = ({ name, tenant }: SavedKey, context: KeyContext): string =>
  `The key of profile ${name} is not valid any more. Create another: \`${formatKeyCommand({ ...context, tenant })}\``;
