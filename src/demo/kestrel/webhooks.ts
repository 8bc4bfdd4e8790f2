/** Webhook endpoints of Kestrel: one that works and one that fails now and then. */
import type { DemoWebhook } from '../scenario.ts';

export const kestrelWebhooks: readonly DemoWebhook[] = [
  {
    receiver: 'shop-sync',
    name: 'Shop sync',
    description: 'Keeps the web shop up to date. Part of the demo; its receiver is built into the daemon.',
    subscribedEvents: ['inventory.item.created', 'inventory.item.updated', 'order.created', 'order.updated', 'stock_document.updated'],
    createdDaysAgo: 28,
    due: { count: 3, failures: 0 },
  },
  {
    receiver: 'warehouse',
    name: 'Warehouse',
    description:
      'Passes orders and stock to the warehouse, slowly and not always. Part of the demo; its receiver is built into the daemon.',
    subscribedEvents: ['order.created', 'order.updated', 'stock_document.created', 'stock_document.updated'],
    createdDaysAgo: 28,
    due: { count: 1, failures: 3 },
  },
];
