/** A service for many runs of a program: it is put back between them, and has planned faults in each. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasOpenDeliveries } from '../../api/admin/due-deliveries.ts';
import { type TenantState, readState, restoreState } from '../../api/admin/tenant-states/tenant-rows.ts';
import { CONTROL_TOKEN_VARIABLE, CONTROL_URL_VARIABLE } from '../../contract/admin/control.ts';
import { API_KEY_FILE_VARIABLE, type PlannedFault } from '../../contract/admin/torture.ts';
import { KEY_PREFIX_CHARS, TIERS, TIER_MAX_PER_MINUTE } from '../../contract/limits.ts';
import { FaultPlan } from '../../domain/faults/fault-plan.ts';
import { createDataActions } from './fault-actions.ts';
import { type EmbeddedService, startEmbeddedService } from './embedded-service.ts';
import { waitForDueDeliveries } from './test-inspection.ts';

export interface TortureOptions {
  readonly port: number;
  readonly demo: boolean;
  /** Applies fixtures. Returns the tenant of the program, and its key if it has one. */
  readonly prepare?: ((send: EmbeddedService['requestAdmin']) => Promise<{ tenantId: string; secret: string | undefined }>) | undefined;
}

export interface TortureService {
  /** For the program. */
  readonly env: Readonly<Record<string, string>>;
  /** Of a key that no fault changes, for the comparison of copies. */
  readonly reader: { readonly url: string; readonly key: string; readonly houseContactId: string };
  /** Puts the tenant back, and plans the faults. Returns what the run counts and injects. */
  begin(faults: readonly PlannedFault[]): Promise<Pick<FaultPlan, 'counts' | 'injected'>>;
  /** Ends the plan. */
  end(): Promise<void>;
  /** Requests of `work` are neither counted nor changed. */
  withoutFaults<T>(work: () => Promise<T>): Promise<T>;
  /** Whether no delivery is open, now or later. */
  isDelivered(): Promise<boolean>;
  stop(): Promise<void>;
}

/** Retries come soon, so that runs are short, but after what a program does next. */
const WEBHOOKS = { scheduleSeconds: [0.4, 0.2, 0.2, 0.5, 1, 1, 1, 1], minimumMs: 50, overloadSeconds: 0 };
const KEY_FILE = 'api-key';

export async function startTortureService(options: TortureOptions): Promise<TortureService> {
  const current: Current = { plan: undefined };
  const tiers = Object.fromEntries(Object.keys(TIERS).map((name) => [name, TIER_MAX_PER_MINUTE]));
  const { port } = options;
  const embedded = await startEmbeddedService({ tiers, port, webhooks: WEBHOOKS, getFaultPlan: () => current.plan });
  try {
    return await createTortureService(embedded, current, await prepareTenant(embedded, options));
  } catch (error) {
    await embedded.stop();
    throw error;
  }
}

interface Current {
  plan: FaultPlan | undefined;
}

interface PreparedTenant {
  readonly tenantId: string;
  /** The key of the program. */
  readonly secret: string;
  readonly reader: TortureService['reader'];
}

async function prepareTenant(embedded: EmbeddedService, { demo, prepare }: TortureOptions): Promise<PreparedTenant> {
  const prepared = await prepare?.((request) => embedded.requestAdmin(request));
  const options = { plan: 'enterprise', demo, tier: 'elevated' } as const;
  const first = await embedded.createFirstTenant({ ...options, tenantId: prepared?.tenantId });
  const { id: tenantId, houseContactId } = first.tenant;
  const reader = await embedded.createFirstTenant({ ...options, demo: false, tenantId });
  const secret = prepared?.secret ?? first.demo[0]?.secret ?? first.secret;
  return { tenantId, secret, reader: { url: embedded.url, key: reader.secret, houseContactId } };
}

async function createTortureService(
  embedded: EmbeddedService,
  current: Current,
  { tenantId, secret, reader }: PreparedTenant,
): Promise<TortureService> {
  const state = await readState(embedded.service.store, tenantId);
  const keys = createKeyFile(join(embedded.directory, KEY_FILE), secret);
  const restarts = createRestarts(embedded);
  const actions = {
    ...createDataActions({ getStore: () => embedded.service.store, tenantId, getKey: keys.getPrefix, setKey: keys.write }),
    restart: restarts.begin,
  };
  return {
    env: await createEnvironment(embedded, secret, keys.path),
    reader,
    async begin(faults) {
      await reset(embedded, state);
      keys.write(secret);
      return (current.plan = new FaultPlan(faults, actions));
    },
    async end() {
      await restarts.wait();
      current.plan = undefined;
    },
    async withoutFaults(work) {
      await restarts.wait();
      const { plan } = current;
      current.plan = undefined;
      try {
        return await work();
      } finally {
        current.plan = plan;
      }
    },
    async isDelivered() {
      await restarts.wait();
      return !(await hasOpenDeliveries(embedded.service.store, tenantId));
    },
    stop: () => embedded.stop(),
  };
}

async function createEnvironment(embedded: EmbeddedService, secret: string, keyFile: string): Promise<TortureService['env']> {
  const control = await embedded.openControl();
  return {
    STOCKROOM_URL: embedded.url,
    STOCKROOM_API_KEY: secret,
    [API_KEY_FILE_VARIABLE]: keyFile,
    [CONTROL_URL_VARIABLE]: control.url,
    [CONTROL_TOKEN_VARIABLE]: control.token,
  };
}

/** The file with the key that is valid now. */
function createKeyFile(path: string, secret: string) {
  let key = secret;
  return {
    path,
    getPrefix: () => key.slice(0, KEY_PREFIX_CHARS),
    write(next: string): void {
      key = next;
      writeFileSync(path, key, { mode: 0o600 });
    },
  };
}

/** One restart at a time. */
function createRestarts(embedded: EmbeddedService) {
  let restarting: Promise<void> | undefined;
  return {
    begin(): void {
      restarting ??= embedded.restart().then(() => void (restarting = undefined));
      // The caller of `wait` gets the error.
      restarting.catch(() => undefined);
    },
    wait: async (): Promise<void> => restarting,
  };
}

async function reset({ service, clock }: EmbeddedService, state: TenantState | undefined): Promise<void> {
  clock.reset();
  service.faults.clear();
  // Attempts in progress would be counted.
  await waitForDueDeliveries(service);
  if (state) await restoreState(service.store, state, { isExact: true });
  service.recorder?.clear();
}
