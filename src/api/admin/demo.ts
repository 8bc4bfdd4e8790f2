/** Admin handlers of demo data and generated rows. */
import type { demoOperations } from '../../contract/admin/demo.ts';
import { StockroomError } from '../../domain/kernel/errors.ts';
import { type AdminHandlers, resolveTenant, createContext } from './handler.ts';

export const demoHandlers: AdminHandlers<typeof demoOperations> = {
  'demo.load': async ({ services }) => ({ data: await services.demo.load() }),
  async 'seed.start'({ services, query, body, requestId }) {
    const tenant = await resolveTenant(services, query.tenant);
    if (services.demo.getSeedProgress().status === 'running') {
      throw new StockroomError('LIMIT_REACHED', 'Rows are already being generated. Wait for that to finish.', { details: { limit: 1 } });
    }
    services.demo.startSeed({ tenant, createContext: (time) => ({ ...createContext({ requestId }, time), tenant }), ...body });
    return { data: services.demo.getSeedProgress() };
  },
  'seed.get': ({ services }) => ({ data: services.demo.getSeedProgress() }),
};
