/** Admin handler of links to the console. */
import type { consoleOperations } from '../../contract/admin/console.ts';
import { StockroomError } from '../../domain/kernel/errors.ts';
import { createConsoleCode } from '../../domain/oauth/console-sessions.ts';
import { type AdminHandlers, writeTenant } from './handler.ts';

export const consoleHandlers: AdminHandlers<typeof consoleOperations> = {
  async 'console.open'(call) {
    const { consoleUrl } = call.services.daemon;
    if (consoleUrl === null)
      throw new StockroomError(
        'NOT_ENABLED',
        'The daemon does not serve the console. Start it without --no-console and --contract strict.',
      );
    return writeTenant(call, async (tx, context) => {
      if (!context.tenant.isActive)
        throw new StockroomError('INVALID_STATE', `Tenant ${context.tenant.slug} is not active. Activate it first.`);
      const { code, expiresAt } = await createConsoleCode(tx, context, call.body.scopes);
      // Browsers do not send the fragment, so that no log contains the code.
      return { data: { tenant: context.tenant.slug, expiresAt }, url: `${consoleUrl}#code=${code}` };
    });
  },
};
