import type { ServerResponse } from 'node:http';

/** Runs `work` when the response is closed, also if it is already: the client may have disconnected while its request was handled. */
export function onClose(response: ServerResponse, work: () => void): void {
  if (response.closed) work();
  else response.once('close', work);
}
