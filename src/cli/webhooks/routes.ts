/** `--forward-to` and `--route`: which receiver gets which event. */
import { events as allEvents } from '../../contract/events.ts';
import { usageError } from '../errors/failure.ts';
import { validateUrl } from '../input/service-url.ts';

/** Returns the URL of the receiver of an event; undefined if the event is only printed. */
export type Routes = (event: string) => string | undefined;

/** `events`: the events that the endpoint subscribes to. Throws a usage error for an invalid route. */
export function parseRoutes(events: readonly string[], forwardTo: string | undefined, routes: readonly string[] = []): Routes {
  const urls = new Map<string, string>();
  for (const text of routes) {
    const at = text.indexOf('=');
    const event = text.slice(0, Math.max(0, at));
    if (!Object.hasOwn(allEvents, event))
      throw usageError(`Invalid --route "${text}". Expected EVENT=URL`, 'Example: --route order.created=http://127.0.0.1:3000/hooks');
    if (urls.has(event))
      throw usageError(`Two routes for ${event}`, 'Pass one --route per event: the response of the receiver is recorded');
    if (!events.includes(event))
      throw usageError(`--route "${text}": ${event} is not among the values of --event`, `Add --event ${event}, or omit --event`);
    urls.set(event, validateUrl(text.slice(at + 1), '--route'));
  }
  const defaultUrl = forwardTo === undefined ? undefined : validateUrl(forwardTo, '--forward-to');
  return (event) => urls.get(event) ?? defaultUrl;
}
