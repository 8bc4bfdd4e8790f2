import type { Logger } from 'pino';
import { presentAdminDelivery } from '../../api/admin/webhooks.ts';
import { toStrictEventBody } from '../../contract/strict.ts';
import { DeliveryEngine } from '../../delivery/engine.ts';
import { injectDeliveryFaults } from '../../delivery/fault-injection.ts';
import { type ReplayRunner, createReplayRunner } from '../../delivery/replay-runner.ts';
import { type Sender, createSender } from '../../delivery/sender.ts';
import type { Resolve } from '../../delivery/target-guard.ts';
import type { FaultRegistry } from '../../domain/faults/fault-registry.ts';
import type { Tracing } from '../../domain/kernel/tracing.ts';
import type { Leases } from '../../domain/kernel/shared-state.ts';
import type { StockroomStore } from '../../domain/tables.ts';
import type { TargetPolicy } from '../../domain/webhooks/target-policy.ts';
import type { ServiceMetrics } from '../../http/metrics/service-metrics.ts';
import type { Feed } from '../../http/feed.ts';
import type { WebhookSettings } from '../webhook-settings.ts';
import type { ServiceClock } from './clocks/clock.ts';
import type { ServiceTimeouts } from './timeouts.ts';

export interface DeliveryRuntimeOptions {
  readonly store: StockroomStore;
  readonly leases: Leases;
  readonly clock: ServiceClock;
  readonly log: Logger;
  readonly feed: Feed;
  /** Attempts by the state in which they left their delivery. */
  readonly attempts: ServiceMetrics['deliveryAttempts'];
  readonly faults: FaultRegistry;
  readonly settings: WebhookSettings;
  readonly targets: TargetPolicy;
  readonly userAgent: string;
  readonly tracing: Tracing;
  readonly timeouts: ServiceTimeouts;
  /** Whether bodies have the fields of the given contract only. */
  readonly isStrict: boolean;
  /** For tests: instead of DNS. */
  readonly resolve: Resolve | undefined;
}

/** The delivery engine of a service, its sender and its replays. A drained engine cannot be started again, so a restore replaces them. */
export class DeliveryRuntime {
  readonly #options: DeliveryRuntimeOptions;
  #current: RuntimeParts;
  #isStarted = false;

  constructor(options: DeliveryRuntimeOptions) {
    this.#options = options;
    this.#current = createParts(options);
  }

  /** Sends with the current sender. */
  readonly sender: Sender = {
    send: (request) => this.#current.sender.send(request),
    close: () => this.#current.sender.close(),
  };

  /** Starts to send due deliveries; until then they wait. */
  async start(): Promise<void> {
    this.#isStarted = true;
    await this.#current.engine.start();
    await this.#current.replays.start();
  }

  /** Finishes the attempts in progress and starts no more. */
  async drain(): Promise<void> {
    await this.#current.replays.close();
    await this.#current.engine.drain(this.#options.timeouts.drainMs);
  }

  /** Replaces the drained engine; starts the new one if the old one was started, unless the service is closing. */
  async recreate({ isClosing }: { readonly isClosing: boolean }): Promise<void> {
    this.#current = createParts(this.#options);
    if (this.#isStarted && !isClosing) await this.start();
  }

  /** Whether the engine is committing the outcome of this delivery. */
  isRecording(deliveryId: string): boolean {
    return this.#current.engine.isRecording(deliveryId);
  }
}

interface RuntimeParts {
  readonly sender: Sender;
  readonly engine: DeliveryEngine;
  readonly replays: ReplayRunner;
}

function createParts(options: DeliveryRuntimeOptions): RuntimeParts {
  const { store, leases, clock, log, feed, attempts, settings, userAgent, tracing, timeouts, isStrict, targets, resolve, faults } = options;
  const sender = injectDeliveryFaults(createSender({ targets, ...(resolve ? { resolve } : {}) }), faults);
  const engine = new DeliveryEngine({
    store,
    leases,
    clock,
    log,
    sender,
    tracing,
    rules: settings,
    random: Math.random,
    userAgent,
    timeoutMs: settings.timeoutSeconds * 1_000,
    outcomeRetryMs: timeouts.outcomeRetryMs,
    safetyPollMs: timeouts.safetyPollMs,
    ...(isStrict && { toBody: toStrictEventBody }),
    onRecorded: ({ tenantId, delivery, outcome }) => {
      if (outcome && delivery.status !== 'pending') attempts.add(delivery.status);
      if (feed.hasSubscribers('delivery')) feed.publish('delivery', tenantId, presentAdminDelivery(delivery));
    },
  });
  return { sender, engine, replays: createReplayRunner(options) };
}
