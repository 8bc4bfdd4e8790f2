import type { demoOperations } from '../../contract/admin/demo.ts';
import { StockroomError } from '../../domain/errors.ts';
import { type AdminHandlers, chosenTenant, contextOf } from './call.ts';

export const demoHandlers: AdminHandlers<typeof demoOperations> = {
  async 'demo.load'({ plane }) {
    return { data: await plane.demo.load() };
  },
  async 'seed.start'({ plane, query, body, requestId }) {
    const tenant = await chosenTenant(plane, query.tenant);
    if (plane.demo.seedProgress().status === 'running') {
      throw new StockroomError('LIMIT_REACHED', 'Rows are being generated already; wait until that is done.', { details: { limit: 1 } });
    }
    plane.demo.startSeed({ contextOf: () => ({ ...contextOf({ plane, requestId }), tenant }), ...body });
    return { data: plane.demo.seedProgress() };
  },
  async 'seed.get'({ plane }) {
    return Promise.resolve({ data: plane.demo.seedProgress() });
  },
};
