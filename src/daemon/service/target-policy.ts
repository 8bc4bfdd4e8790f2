import { networkInterfaces } from 'node:os';
import type { TargetPolicy } from '../../domain/webhooks/target-policy.ts';
import type { WebhookSettings } from '../webhook-settings.ts';

/** The targets to which deliveries may be sent. Ports of this service, added with `addOwnPort`, are never among them. */
export function createTargetPolicy(settings: WebhookSettings): { targets: TargetPolicy; addOwnPort: (port: number) => void } {
  const ownPorts = new Set<number>();
  const targets = { ...settings, ownPorts: () => ownPorts, ownAddresses: listOwnAddresses };
  return { targets, addOwnPort: (port) => void ownPorts.add(port) };
}

/** Read for each check, because network interfaces come and go. */
const listOwnAddresses = () =>
  new Set(
    Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .map(({ address }) => address),
  );
