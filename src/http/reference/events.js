// The events that webhook endpoints receive, from the document of webhooks.
import { createElement, renderInline, showTable } from './dom.js';

/** Shows each event with when it is sent, and an example of its body. */
export async function renderEvents() {
  const reply = await fetch('/webhooks.openapi.json');
  const { webhooks } = /** @type {WebhooksDocument} */ (await reply.json());
  const rows = Object.entries(webhooks).map(([name, { post }]) => {
    const { example } = post.requestBody.content['application/json'];
    const body = createElement('details', {}, [
      createElement('summary', { textContent: 'Example' }),
      createElement('pre', {}, [createElement('code', { textContent: JSON.stringify(example, null, 2) })]),
    ]);
    return createElement('tr', { id: `event-${name}` }, [
      createElement('td', {}, [createElement('code', { textContent: name })]),
      createElement('td', {}, [...renderInline(post.summary), ...(example === undefined ? [] : [body])]),
    ]);
  });
  showTable('events', ['Event', 'Sent when'], rows);
}
