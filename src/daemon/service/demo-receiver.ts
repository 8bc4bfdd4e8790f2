/** Runs the receivers of the demo's webhook endpoints while there are such endpoints, and keeps the endpoints pointed at them. */
import type { Logger } from 'pino';
import { DEMO_ACTOR, getDemoTenantId } from '../../demo/apply-scenario.ts';
import { listDemoWebhooks, moveDemoWebhooks } from '../../demo/create-webhooks.ts';
import { DEMO_TENANTS } from '../../demo/load-demo.ts';
import { type WebhookReceiver, startWebhookReceiver } from '../../demo/webhook-receiver.ts';
import type { Clock } from '../../domain/kernel/ports.ts';
import type { StockroomStore } from '../../domain/tables.ts';

interface Parts {
  readonly store: StockroomStore;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'warn'>;
  /** Called with the port of the receivers before any delivery can be sent there. */
  readonly onListening: (port: number) => void;
}

export interface DemoReceiver {
  /** Starts the receivers and returns their port. */
  start(): Promise<number>;
  /** After a start or a change of all data: starts the receivers if endpoints need them, and moves those that have another port. */
  resume(): Promise<void>;
  close(): Promise<void>;
}

/** The tenants with endpoints. */
const SCENARIOS = DEMO_TENANTS.filter(({ webhooks }) => webhooks.length > 0);

export function createDemoReceiver({ store, clock, log, onListening }: Parts): DemoReceiver {
  let starting: Promise<WebhookReceiver> | undefined;
  const listEndpoints = async () => {
    const found = SCENARIOS.map((scenario) => store.read(getDemoTenantId(scenario.slug), (tx) => listDemoWebhooks(tx, scenario)));
    return (await Promise.all(found)).flat();
  };
  const start = async (preferredPort = 0): Promise<number> => {
    const listSecrets = async (receiver: string) =>
      (await listEndpoints()).flatMap((each) => (each.receiver === receiver ? [each.secret] : []));
    const now = (receiver: string): Date => {
      const scenario = SCENARIOS.find(({ webhooks }) => webhooks.some((webhook) => webhook.receiver === receiver));
      return clock.now(scenario && getDemoTenantId(scenario.slug));
    };
    starting ??= startWebhookReceiver({ listSecrets, now }, preferredPort);
    const { port } = await starting;
    onListening(port);
    return port;
  };
  const moveEndpoints = async (port: number): Promise<void> => {
    for (const scenario of SCENARIOS) {
      const id = getDemoTenantId(scenario.slug);
      await store.transact(id, async (tx) => {
        const { now, newId } = tx;
        const tenant = await tx.tenants.get(id);
        const common = { actor: DEMO_ACTOR, requestId: newId(), ipAddress: null, now, newId };
        if (tenant) await moveDemoWebhooks(tx, scenario, port, () => ({ tenant, ...common }));
      });
    }
  };
  return {
    start: () => start(),
    async resume() {
      try {
        const endpoints = await listEndpoints();
        const [first] = endpoints;
        if (!first) return;
        const port = await start(first.port);
        if (endpoints.some((each) => each.port !== port)) await moveEndpoints(port);
      } catch (error) {
        // The deliveries of the demo fail and are retried; everything else works.
        log.warn({ err: error }, 'the receivers of the demo webhooks could not be started');
      }
    },
    async close() {
      (await starting?.catch(() => undefined))?.close();
    },
  };
}
