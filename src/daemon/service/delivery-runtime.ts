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
  #sender: Sender;
  #engine: DeliveryEngine;
  #replays: ReplayRunner;
  #isStarted = false;

  constructor(options: DeliveryRuntimeOptions) {
    this.#options = options;
    this.#sender = this.#createSender();
    this.#engine = this.#createEngine();
    this.#replays = createReplayRunner(options);
  }

  /** Sends with the current sender. */
  readonly sender: Sender = {
    send: (request) => this.#sender.send(request),
    close: () => this.#sender.close(),
  };

  /** Starts to send due deliveries; until then they wait. */
  async start(): Promise<void> {
    this.#isStarted = true;
    await this.#engine.start();
    await this.#replays.start();
  }

  /** Finishes the attempts in progress and starts no more. */
  async drain(): Promise<void> {
    await this.#replays.close();
    await this.#engine.drain(this.#options.timeouts.drainMs);
  }

  /** Replaces the drained engine; starts the new one if the old one was started, unless the service is closing. */
  async recreate({ isClosing }: { readonly isClosing: boolean }): Promise<void> {
    this.#sender = this.#createSender();
    this.#engine = this.#createEngine();
    this.#replays = createReplayRunner(this.#options);
    if (this.#isStarted && !isClosing) await this.start();
  }

  /** Whether the engine is committing the outcome of this delivery. */
  isRecording(deliveryId: string): boolean {
    return this.#engine.isRecording(deliveryId);
  }

  #createSender(): Sender {
    const { targets, resolve, faults } = this.#options;
    return injectDeliveryFaults(createSender({ targets, ...(resolve ? { resolve } : {}) }), faults);
  }

  #createEngine(): DeliveryEngine {
    const { store, leases, clock, log, feed, attempts, settings, userAgent, tracing, timeouts, isStrict } = this.#options;
    return new DeliveryEngine({
      store,
      leases,
      clock,
      log,
      sender: this.#sender,
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
  }
}
