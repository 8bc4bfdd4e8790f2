/** The receivers of the demo, and the ids and addresses of their endpoints. */
import { deriveId } from '../domain/kernel/derived-ids.ts';

const RECEIVERS = ['shop-sync', 'warehouse'] as const;
export type DemoReceiver = (typeof RECEIVERS)[number];

/** Only this machine reaches the receivers, also when the service listens on another address. */
export const RECEIVER_HOST = '127.0.0.1';

/** The same in every data directory. */
export const getDemoWebhookId = (slug: string, receiver: DemoReceiver): string => deriveId(`webhook ${slug} ${receiver}`);

const toPath = (receiver: DemoReceiver): string => `/demo/webhooks/${receiver}`;

export const findReceiver = (path: string): DemoReceiver | undefined => RECEIVERS.find((receiver) => toPath(receiver) === path);

export const toTargetUrl = (port: number, receiver: DemoReceiver): string => `http://${RECEIVER_HOST}:${String(port)}${toPath(receiver)}`;

/** The port of an endpoint's URL; undefined if a user has pointed it elsewhere. */
export function getReceiverPort(targetUrl: string, receiver: DemoReceiver): number | undefined {
  const port = Number(new URL(targetUrl).port);
  return targetUrl === toTargetUrl(port, receiver) ? port : undefined;
}
