import { networkInterfaces } from 'node:os';
import type { TargetPolicy } from '../../domain/webhooks/target-policy.ts';
import type { WebhookSettings } from '../webhook-settings.ts';

interface ServiceTargets {
  readonly targets: TargetPolicy;
  /** A port on which this service listens: never a target. */
  addOwnPort(port: number): void;
  /** A loopback port of the demo's receivers: always a target. */
  addReceiverPort(port: number): void;
}

/** The targets to which deliveries may be sent. */
export function createTargetPolicy(settings: WebhookSettings): ServiceTargets {
  const ownPorts = new Set<number>();
  const receiverPorts = new Set<number>();
  const targets = { ...settings, ownPorts: () => ownPorts, receiverPorts: () => receiverPorts, ownAddresses: listOwnAddresses };
  return { targets, addOwnPort: (port) => void ownPorts.add(port), addReceiverPort: (port) => void receiverPorts.add(port) };
}

/** Read for each check, because network interfaces come and go. */
const listOwnAddresses = () =>
  new Set(
    Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .map(({ address }) => address),
  );
